// A recorded exercise in place of a kernel: replies to the answers that were recorded, hints and the solution.

import { Model } from "./model.js";

const SEPARATORS = /[\s,;，；、]+/g;

/** An answer as it is compared: kschedlab/lab/exercises/predict.py reads it in the same way. */
const plain = (answer) => answer.replace(SEPARATORS, "").toLowerCase();

export class Exercise extends Model {
  constructor(record, words) {
    super({ face: record.face, large: false, spoken: words.spoken });
    Object.assign(this, { record, words, state: "UNATTEMPTED", hints: 0 });
  }

  receive(message) {
    const { record } = this;
    if ("draft" in message) this.show({ given: message.draft });
    else if ("check" in message) this.check(message.check);
    else if ("hint" in message) this.show({ reply: record.hints[Math.min((this.hints += 1), record.hints.length) - 1] });
    else if ("solution" in message) this.show({ reply: this.solution() });
  }

  check(answer) {
    const { answers, replies, missing, face } = this.record, known = answers[plain(answer)];
    if (!answer) return this.show({ reply: missing });
    if (known && this.state !== "RIGHT") this.state = known[0] ? "RIGHT" : "WRONG";
    const unknown = face.place === "text" ? this.words.unknown : this.words.judged;
    this.show({ given: answer, reply: known ? replies[known[1]] : unknown });
  }

  solution() {
    return this.state === "RIGHT" ? this.record.solution : this.record.early[this.hints] ?? this.record.solution;
  }

  show(changed) {
    this.change("face", { ...this.get("face"), question: this.record.marked[this.state], ...changed });
  }
}
