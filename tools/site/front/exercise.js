// A recorded exercise in place of a kernel: replies to the answers that were recorded, hints and the solution.

import { keep, kept } from "../../../packages/lab/kschedlab_lab/stage/kept.js";
import { Model } from "./model.js";

const SEPARATORS = /[\s,;，；、]+/g;

/** An answer as it is compared: packages/lab/kschedlab_lab/exercises/predict.py reads it in the same way. */
const plain = (answer) => answer.replace(SEPARATORS, "").toLowerCase();

export const UNTRIED = { state: "UNATTEMPTED", tries: 0, hints: 0 };

/** An exercise by its `name`, where the reader left it; what only Python can judge says so before somebody types. */
export class Exercise extends Model {
  constructor(name, record, words) {
    super({ face: record.face, large: false, spoken: words.spoken });
    Object.assign(this, { name, record, words, open: 0, said: "", ...UNTRIED, ...kept(name) });
    const judged = Object.keys(record.answers).length || record.face.place === "none";
    this.note = judged ? "" : `<p>${words.judged}</p>`;
    this.set("face", { ...record.face, question: this.question() });
  }

  receive(message) {
    const { record } = this;
    if ("draft" in message) this.show({ given: message.draft });
    else if ("check" in message) this.check(message.check);
    else if ("hint" in message) this.help();
    else if ("solution" in message) this.say(this.solution());
  }

  check(answer) {
    const { answers, replies, missing, face } = this.record, known = answers[plain(answer)];
    if (!answer) return this.say(missing);
    const judged = known || face.place === "text", unknown = judged ? this.words.unknown : this.words.judged;
    if (judged && this.state !== "RIGHT") {
      this.state = known?.[0] ? "RIGHT" : "WRONG";
      this.tries += 1;
    }
    if (known?.[0]) this.open = 0;
    this.say(known ? replies[known[1]] : unknown, { given: answer });
  }

  /** One more hint above what was said last, unless that says how many are left. */
  help() {
    const { hints, early } = this.record;
    this.open = Math.min(this.open + 1, hints.length);
    if (this.state !== "RIGHT") this.hints = this.open;
    this.say(early.includes(this.said) ? "" : this.said);
  }

  say(reply, changed = {}) {
    this.said = reply;
    this.show({ ...changed, reply: this.record.hints.slice(0, this.open).join("") + reply });
  }

  solution() {
    return this.state === "RIGHT" ? this.record.solution : this.record.early[this.hints] ?? this.record.solution;
  }

  question() {
    return this.record.marked[this.state] + this.note;
  }

  show(changed) {
    keep(this.name, { state: this.state, tries: this.tries, hints: this.hints });
    this.change("face", { ...this.get("face"), question: this.question(), ...changed });
  }
}
