// The question above the picture: the form to answer it, a class's votes, and then what became of the answer.

import { button, coded, make, onEnter } from "./dom.js";
import { drops } from "./drop.js";
import { say } from "./language.js";
import { escaped } from "./saying.js";

const LARGEST = 1e12;
const FIGURES = "123456789", LETTERS = "ABCDEFGHI";

/** Whether this is a number that may be an answer. */
function fits(typed, { most }) {
  const value = /^[\d,]+$/.test(typed) ? Number(typed.replaceAll(",", "")) : NaN;
  return value <= (most ?? LARGEST);
}

/** The answers with their votes, the most first. */
function ranked(votes) {
  const found = {};
  for (const each of votes) found[each] = (found[each] ?? 0) + 1;
  return Object.entries(found).sort((one, other) => other[1] - one[1]);
}

const choices = (...buttons) => make("div", { class: "ks-choices" }, ...buttons);

export class QuestionBox {
  constructor(stage) {
    this.stage = stage;
    this.el = make("div", { class: "ks-question" });
    this.votes = []; // the answers of a class, one for each hand
  }

  show() {
    const { stage } = this, { asking, verdict, covered, answered } = stage.shown;
    const goes = !(asking || verdict || covered);
    this.el.classList.toggle("ks-past", goes);
    if (goes && stage.hand?.held && !stage.room.isBeside) return; // its space stays: the picture stays under the hand
    const text = JSON.stringify([asking, verdict, covered, answered?.votes, stage.isLarge, this.votes]);
    if (text === this.text) return;
    this.text = text;
    const parts = asking ? this.form(asking) : covered ? this.cover(covered) : verdict && !this.isSaid(verdict) ? this.verdict(verdict) : this.polled(answered);
    this.el.replaceChildren(...parts);
    if (stage.isLarge) this.input?.focus({ preventScroll: true }); // for the next hand
  }

  /** The place to type a number, if one is asked for. */
  get input() {
    return this.el.querySelector("input");
  }

  form(asking) {
    const { text, choices: given, numbers, drawn } = asking, polls = this.stage.isLarge;
    const answers = given.length ? (drawn && !polls ? [] : this.buttons(given, polls)) : this.field(asking, polls);
    const how = given.length ? (polls ? "" : this.where(asking)) : say("Type {numbers}. ", { numbers });
    const later = make("span", { class: "ks-later" }, say(" What you read about is shown after it."));
    const hint = make("small", {}, how, polls ? this.counting(given) : later);
    return [make("p", {}, make("b", {}, ...coded(text)), " ", hint), choices(...answers, ...(asking.polls && !polls ? [this.hall()] : []), ...this.ends(polls, given.length))];
  }

  buttons(given, polls) {
    if (polls) return given.map((each, place) => this.vote(each, this.keys(given)[place]));
    return given.map((each) => button(each, () => this.pick(each), { title: say("answer") }));
  }

  /** The keys of the answers; whoever calls a number means the answer. */
  keys(given) {
    return given.some((each) => /^\d/.test(each)) ? LETTERS : FIGURES;
  }

  /** An answer that hands are counted for, out of sight: late hands would follow early ones. This key adds one. */
  vote(answer, key) {
    return button(answer, () => this.pick(answer), { class: "ks-vote", title: say("add a vote"), "data-key": key });
  }

  /** In a poll the key of an answer is a hand for it, and a figure goes to the field, whatever has the focus, unless
   * somebody types; Backspace takes a hand back, Enter opens the answer. */
  press(event) {
    const { key, target, ctrlKey, altKey, metaKey } = event, types = target.closest?.("input[type=text], textarea");
    if (!/^(\w|Backspace|Enter)$/.test(key) || types || ctrlKey || altKey || metaKey) return;
    if (key === "Enter" && target.closest?.("button, [data-pick]")) return; // which it presses
    if (this.input && /^\d$/.test(key)) {
      this.input.focus({ preventScroll: true }); // the browser types it there
      return event.stopPropagation();
    }
    const pressed = this.el.querySelector(`[data-key="${key.length > 1 ? key : key.toUpperCase()}"]`);
    if (!pressed) return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab would make a heading of the cell
    pressed.click();
  }

  /** A place to type. */
  field(asking, polls) {
    const input = make("input", { type: "text", "aria-label": asking.text, size: 8 });
    const done = () => {
      const typed = input.value.trim(), refused = polls && typed && !fits(typed, asking);
      input.setCustomValidity(refused ? asking.numbers : ""); // else Python says what is wrong
      if (input.reportValidity() && (typed || !polls)) this.pick(typed);
    };
    onEnter(input, done);
    return [input, button(say("OK"), done, { title: say("answer") })];
  }

  counting(given) {
    if (!given.length) return say("One number for each hand; then open the answer.");
    const [first, last] = [0, Math.min(given.length, FIGURES.length) - 1].map((place) => this.keys(given)[place]);
    return say("For each hand: a click on its answer, or key {first} to {last}.", { first, last });
  }

  /** `keyed`: keys end the poll; else they are for the field. */
  ends(polls, keyed) {
    const { votes } = this, answer = () => this.stage.post({ answer: this.winner(), votes });
    const open = button(polls ? say("Open the answer") : say("Show the answer"), answer, { title: say("without predicting"), class: "ks-open", "data-key": polls && keyed ? "Enter" : null });
    const { length } = votes, attributes = { class: "ks-hands", title: say("take the last vote back"), "data-key": keyed ? "Backspace" : null, disabled: length ? null : "" };
    const back = button(`↶ ${length}`, () => this.count(votes.slice(0, -1)), attributes);
    const crowd = make("span", { class: "ks-crowd", style: `--ks-hands: ${length}` });
    return polls ? [back, crowd, open] : [open];
  }

  /** Enlarges all, for a class to vote. */
  hall() {
    return button(say("Let a class vote"), () => this.stage.setLarge(true), { class: "ks-hall", title: say("enlarge everything; Escape makes it small again") });
  }

  where({ choices: given, drawn: only }) {
    if (only && drops(this.stage.picture.el)) return say("Click a node, or drag the pod to it.");
    if (only) return say("Click it in the picture.");
    const drawn = [...this.stage.picture.el.querySelectorAll("[data-pick]")].some(({ dataset: { pick } }) => given.includes(pick));
    return drawn ? say("Click here or in the picture.") : say("Click your answer.");
  }

  /** The answer with most votes in a poll; null in a tie. */
  winner() {
    const [first, second] = ranked(this.votes);
    return first && first[1] !== second?.[1] ? first[0] : null;
  }

  pick(answer) {
    if (!this.stage.isLarge) return this.stage.post({ answer });
    this.count([...this.votes, answer]);
  }

  count(votes) {
    this.votes = votes;
    this.show();
    this.stage.measure();
  }

  /** The panel begins again: no hand was counted. */
  clear() {
    this.count([]);
  }

  /** What became of the answer. The headline gives the right one, so the question is repeated only where there is none. */
  verdict({ text, answer, right, solution, mark, why, choices, votes = this.votes }) {
    const polled = votes.length > 0, bars = polled ? [this.bars(votes, choices, solution)] : [];
    const wrong = answer !== null && !right, sign = answer === null ? "" : right ? "✓ " : "✕ ";
    const mine = wrong && !polled ? [" ", make("span", { class: "ks-mine" }, ...coded(say("Your answer: {answer}", { answer })))] : []; // as in the picture
    const said = make("p", { class: wrong ? "ks-wrong" : "ks-right", role: "status", title: text },
      make("b", {}, sign + (polled && answer !== null ? say("Most votes: {answer}. ", { answer }) : say("{mark} ", { mark }))), ...coded(why), ...mine);
    return this.stage.shown.sentence ? [...bars, said] : [...bars, make("p", {}, make("b", {}, ...coded(text))), said];
  }

  /** The votes for each answer, the most first, and last those that nobody gave. `solution`: the right one; null: they
   * were about another picture. */
  bars(votes, choices, solution) {
    const given = ranked(votes), rest = choices.filter((each) => !votes.includes(each)).map((each) => [each, 0]);
    return make("ul", { class: solution === null ? "ks-votes ks-before" : "ks-votes" }, ...[...given, ...rest].map(([choice, count]) => make("li", { class: choice === solution ? "ks-chosen" : "" },
      make("span", {}, choice === solution ? `${choice} ✓` : choice), make("span", {}, String(count)), make("i", { style: `--ks-share: ${count / votes.length}` }))));
  }

  /** Whatever is changed after the answer, the votes stay in sight; what was right then may be wrong now. */
  polled(answered) {
    return answered?.votes?.length ? [this.bars(answered.votes, answered.choices, null)] : [];
  }

  /** Whether the headline says all that the verdict could: nobody answered, and it gives no reason. */
  isSaid({ answer, why, votes = this.votes }) {
    const said = new RegExp(`(?<![\\w-])${escaped(why.replace(/[.。]$/, ""))}(?![\\w-])`);
    return answer === null && !votes.length && said.test(this.stage.shown.sentence);
  }

  cover(question) {
    const open = button(say("Show it anyway"), () => this.stage.post({ uncover: true }));
    return [make("p", {}, say("This shows the answer to the question above: "), make("i", {}, ...coded(question)), " "), choices(open)];
  }
}
