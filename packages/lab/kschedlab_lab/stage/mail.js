// The conversation with the kernel: one message at a time. Of those of one kind that wait, only the last counts.

import { unique } from "./dom.js";
import { MOVE } from "./motion.js";

export class Mail {
  /** `tell` tells the kernel; false if there is none. */
  constructor(tell) {
    this.tell = tell;
    this.id = unique(); // a panel can be shown in several places
    this.count = 0; // messages sent
    this.sent = ""; // the message that is on its way, or was the last
    this.busy = false; // whether one is on its way
    this.waiting = new Map(); // what to send after it, by kind
  }

  /** Sends this when its turn comes; what answers it moves for `duration`. */
  post(content, duration = MOVE) {
    const [kind] = Object.keys(content);
    this.waiting.delete(kind);
    this.waiting.set(kind, [content, duration]);
    if (!this.busy) this.next();
  }

  /** The last message was answered. */
  next() {
    this.busy = false;
    const [kind] = this.waiting.keys();
    if (kind === undefined) return;
    const [content, duration] = this.waiting.get(kind);
    this.waiting.delete(kind);
    this.duration = duration;
    this.sent = `${this.id} ${(this.count += 1)}`;
    this.busy = this.tell({ ...content, n: this.sent });
  }
}
