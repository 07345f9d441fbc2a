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
    Object.assign(this, { name, record, words, hint: 0, ...UNTRIED, ...kept(name) });
    const judged = Object.keys(record.answers).length || record.face.place === "none";
    this.note = judged ? "" : `<p>${words.judged}</p>`;
    this.set("face", { ...record.face, question: this.question() });
  }

  receive(message) {
    const { record } = this;
    if ("draft" in message) this.show({ given: message.draft });
    else if ("check" in message) this.check(message.check);
    else if ("hint" in message) this.show({ reply: this.help() });
    else if ("solution" in message) this.show({ reply: this.solution() });
  }

  check(answer) {
    const { answers, replies, missing, face } = this.record, known = answers[plain(answer)];
    if (!answer) return this.show({ reply: missing });
    const judged = known || face.place === "text", unknown = judged ? this.words.unknown : this.words.judged;
    if (judged && this.state !== "RIGHT") {
      this.state = known?.[0] ? "RIGHT" : "WRONG";
      this.tries += 1;
    }
    this.show({ given: answer, reply: known ? replies[known[1]] : unknown });
  }

  help() {
    const { hints } = this.record;
    this.hint = Math.min(this.hint + 1, hints.length);
    if (this.state !== "RIGHT") this.hints = this.hint;
    return hints[this.hint - 1];
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
