// An exercise: the question, a place for the answer, buttons, and the reply. Python judges; this only shows and sends.

import { takeWhole } from "../stage/dock.js";
import { button, coded, make, sayWhole, tell, unique } from "../stage/dom.js";
import { learn, say } from "../stage/language.js";
import { surviving } from "../stage/press.js";

const DRAFT = 600; // milliseconds without a key after which the answer is kept
const FOCUS = 60; // milliseconds until the notebook has noticed a new focus
const INDENT = "  ";

/** Types text as a person does, so that the browser can undo it. */
function type(area, text) {
  if (!document.execCommand("insertText", false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
}

/** Indents the selected lines by one step, or with `by` -1 the other way. */
function indent(area, by) {
  const { value, selectionStart, selectionEnd } = area;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const end = value.indexOf("\n", selectionEnd) < 0 ? value.length : value.indexOf("\n", selectionEnd);
  const old = value.slice(start, end);
  const changed = old.split("\n").map((line) => (by > 0 ? INDENT + line : line.replace(/^ {1,2}/, ""))).join("\n");
  if (changed === old) return;
  area.setSelectionRange(start, end);
  type(area, changed);
  if (selectionStart !== selectionEnd) area.setSelectionRange(start, start + changed.length);
}

/**
 * A place for YAML: numbered lines, Tab and Enter indent; Escape, then Tab, leaves it. Behind the field stands the same
 * text, invisible: its lines wrap as the field's do, so they carry the numbers and make the field as high as it is.
 */
function editor(check, changed) {
  const numbers = make("div", { class: "ks-numbers", "aria-hidden": "true" });
  const area = make("textarea", { class: "ks-code", "aria-label": say("Your answer, as YAML"), spellcheck: "false", autocapitalize: "off", rows: 1 });
  let leaving = false;
  const fit = () => {
    const rows = area.value.split("\n");
    while (rows.length < 3) rows.push("");
    numbers.replaceChildren(...rows.map((row) => make("div", {}, make("span", {}, `${row}\u200b`))));
  };
  area.addEventListener("input", () => (fit(), changed(area.value)));
  area.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key === "Enter") event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      check();
    } else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault(); // in JupyterLab the browser's own key does nothing
      document.execCommand(event.shiftKey ? "redo" : "undo");
    } else if (event.key === "Enter") {
      event.preventDefault();
      const line = area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);
      type(area, `\n${/^ */.exec(line)[0]}${/:\s*$/.test(line) ? INDENT : ""}`);
    } else if (event.key === "Tab" && !leaving) {
      event.preventDefault();
      if (!event.shiftKey && area.selectionStart === area.selectionEnd) type(area, INDENT);
      else indent(area, event.shiftKey ? -1 : 1);
    }
    leaving = event.key === "Escape" || (leaving && event.key === "Shift");
  });
  const help = make("small", {}, say("Ctrl+Enter checks. Tab indents; Esc, then Tab, leaves the field."));
  const root = make("div", {}, make("div", { class: "ks-editor" }, numbers, area), help);
  const set = (text) => {
    area.value = text;
    fit();
  };
  return { root, get: () => area.value, set };
}

/** Choices to pick from. */
function picker(choices, changed) {
  const group = unique();
  const inputs = choices.map((text) => make("input", { type: "radio", name: group, value: text, onchange: () => changed(text) }));
  const root = make("div", { class: "ks-answers", role: "radiogroup", "aria-label": say("Answers") },
    ...choices.map((text, i) => make("label", {}, inputs[i], make("span", {}, ...coded(text)))));
  const get = () => inputs.find((each) => each.checked)?.value ?? "";
  const set = (text) => inputs.forEach((each) => (each.checked = each.value === text));
  return { root, get, set };
}

/** A line of text. */
function line(check, changed) {
  const input = make("input", { type: "text", "aria-label": say("Your answer"), placeholder: say("your answer"), size: 32, spellcheck: "false", autocomplete: "off" });
  input.addEventListener("input", () => changed(input.value));
  input.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey)) event.stopPropagation();
    if (event.key === "Enter") check();
  });
  return { root: input, get: () => input.value.trim(), set: (text) => (input.value = text) };
}

/** Runs the notebook's cell above this output, as Ctrl+Enter in it does. False where that is not possible. */
async function runCell(el) {
  const code = el.closest(".jp-CodeCell")?.querySelector(".jp-InputArea .cm-content");
  if (!code) return false;
  code.focus(); // the notebook makes this its active cell
  await new Promise((done) => setTimeout(done, FOCUS));
  const key = { key: "Enter", code: "Enter", keyCode: 13, which: 13, ctrlKey: true, bubbles: true, cancelable: true };
  return !code.dispatchEvent(new KeyboardEvent("keydown", key)); // the notebook takes the key
}

class Card {
  constructor(model, el) {
    this.model = model;
    learn(model, el);
    el.classList.add("kschedlab", "ks", "ks-exercise");
    takeWhole(el);
    this.el = el;
    this.id = unique(); // a card can be shown in several places
    this.sent = 0; // answers that were sent from here
    const face = model.get("face");
    this.cell = face.place === "cell";
    const check = () => this.check();
    const changed = (text) => this.draft(text);
    const places = {
      choice: () => picker(face.choices, changed), yaml: () => editor(check, changed), text: () => line(check, changed),
    };
    this.place = places[face.place]?.() ?? null;
    this.question = make("div", { class: "ks-asked ks-table" });
    this.question.addEventListener("click", (event) => this.pick(event.target.closest("[data-pick]")?.dataset.pick));
    surviving(this.question, "[data-pick]", ({ dataset: { pick } }) => this.pick(pick));
    this.reply = make("div", { class: "ks-reply", "aria-live": "polite" });
    const main = button(say("Check"), check);
    main.classList.add("ks-main");
    const words = make("small", {}, say("checks the cell above, as Shift+Enter does"));
    const ask = (what) => () => this.send({ [what]: true });
    this.help = [button(say("Hint"), ask("hint")), button(say("Solution"), ask("solution"))];
    const buttons = make("div", { class: "ks-buttons" }, main, ...this.help, this.cell ? words : null);
    this.lost = make("p", { class: "ks-lost", hidden: true }, say("The kernel has stopped. Run the cell again to go on."));
    const answerable = face.place !== "none";
    el.append(this.lost, this.question, ...(this.place ? [this.place.root] : []), ...(answerable && !this.cell ? [buttons] : []), this.reply, ...(this.cell ? [buttons] : []));
    this.place?.set(face.given);
    this.given = face.given;
    this.show(face);
    model.on("change:face", this.changed = () => this.show(model.get("face")));
    model.on("change:large", this.resized = () => this.large());
    model.on("comm_live_update", this.cut = () => this.alive());
    this.large();
  }

  show(face) {
    if (face.question !== this.asked) {
      const folds = () => [...this.question.querySelectorAll("details")], open = folds().map((each) => each.open);
      this.question.innerHTML = this.asked = face.question;
      for (const [i, each] of folds().entries()) each.open ||= open[i] ?? false; // what is unfolded stays so
      sayWhole(this.question);
    }
    if (face.reply !== this.said) this.say(face.reply);
    if (face.given !== this.given && !this.isAhead(face)) this.place?.set(this.given = face.given); // another view, or code, has answered
    for (const each of this.help) each.hidden = face.solved; // nobody asks after a right answer
    this.mark();
  }

  /** Shows the reply. To one that was asked for here it scrolls, as far as the answer stays in sight. */
  say(reply) {
    this.reply.innerHTML = this.said = reply;
    sayWhole(this.reply);
    if (this.waiting) for (const each of [this.reply, this.place?.root]) each?.scrollIntoView({ block: "nearest" });
    this.waiting = false;
  }

  /** Whether what stands here is newer than this face: a slow kernel has not heard of it yet. */
  isAhead({ heard }) {
    return Boolean(this.timer) || (heard?.[this.id] ?? 0) < this.sent;
  }

  /** A node of the picture is picked: the same as its choice below. */
  pick(choice) {
    if (!this.model.get("face").choices.includes(choice)) return;
    this.place.set(choice);
    this.draft(choice);
  }

  /** Shows in the picture what is picked. */
  mark() {
    const { choices } = this.model.get("face"), chosen = this.place?.get();
    for (const each of this.question.querySelectorAll("[data-pick]")) {
      each.classList.toggle("ks-pickable", choices.includes(each.dataset.pick));
      each.classList.toggle("ks-picked", each.dataset.pick === chosen);
    }
    const drawn = new Set([...this.question.querySelectorAll("[data-pick]")].map(({ dataset }) => dataset.pick));
    this.place?.root.classList.toggle("ks-in-picture", choices.length > 0 && choices.every((each) => drawn.has(each)));
  }

  async check() {
    if (this.cell) return (await runCell(this.el)) || this.send({ again: true });
    this.waiting = true;
    this.hand("check", this.place.get());
  }

  /** Keeps an answer that nobody has checked, once no key was pressed for a while. */
  draft(text) {
    clearTimeout(this.timer);
    this.mark();
    this.timer = setTimeout(() => this.hand("draft", text), DRAFT);
  }

  /** Sends what stands here. */
  hand(what, text) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.given = text;
    this.send({ [what]: text, from: this.id, n: (this.sent += 1) });
  }

  send(message) {
    if (this.alive() && !tell(this.model, message)) this.lost.hidden = false;
  }

  /** Whether there is a kernel to answer; says so if there is none. */
  alive() {
    this.lost.hidden = this.model.comm_live !== false;
    return this.lost.hidden;
  }

  large() {
    this.el.classList.toggle("ks-large", this.model.get("large") === true);
  }

  remove() {
    clearTimeout(this.timer);
    this.model.off("change:face", this.changed);
    this.model.off("change:large", this.resized);
    this.model.off("comm_live_update", this.cut);
  }
}

export default {
  render({ model, el }) {
    const card = new Card(model, el);
    return () => card.remove();
  },
};
