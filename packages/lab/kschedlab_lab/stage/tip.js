// The remark beside an element, and what lights up with it.

import { clamp, make } from "./dom.js";

const GAP = 6; // pixels between an element and the remark

export class Tip {
  constructor(frame) {
    this.frame = frame;
    this.el = make("div", { class: "ks-tip", role: "tooltip", hidden: true });
  }

  /** Lights up what a number or a name refers to. */
  light(target) {
    for (const each of this.frame.querySelectorAll(".ks-lit")) each.classList.remove("ks-lit");
    const key = target?.closest?.("[data-ref]")?.dataset.ref;
    if (key === undefined) return;
    for (const each of this.frame.querySelectorAll("[data-key], [data-ref]")) {
      const other = each.dataset.key ?? each.dataset.ref;
      if (other === key || other.startsWith(`${key}/`)) each.classList.add("ks-lit");
    }
  }

  /** Shows an element's remark. */
  show(target) {
    const element = target?.closest?.("[data-tip]");
    this.say(element ? element.dataset.tip : "", element);
  }

  /** Shows this text above the element, below it where there is no room; "" hides it. */
  say(text, beside, look = "") {
    this.el.hidden = !text;
    this.el.textContent = text ?? "";
    this.el.className = `ks-tip ${look}`;
    if (!text || !beside) return;
    const frame = this.frame.getBoundingClientRect(), box = beside.getBoundingClientRect();
    const { offsetWidth: wide, offsetHeight: high } = this.el;
    const left = clamp(box.x - frame.x + box.width / 2 - wide / 2, 0, Math.max(frame.width - wide, 0));
    const top = box.y - frame.y > high + GAP + 2 ? box.y - frame.y - high - GAP : box.bottom - frame.y + GAP;
    Object.assign(this.el.style, { left: `${left}px`, top: `${top}px` });
  }
}
