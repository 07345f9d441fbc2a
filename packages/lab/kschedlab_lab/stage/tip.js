// The remark beside an element, and what lights up with it.

import { clamp, make } from "./dom.js";

const GAP = 6; // pixels between an element and the remark
const DWELL = 600; // milliseconds for which a mouse points at an element before the remark covers anything

/** Whether two places have a point in common. */
function overlap(one, other) {
  const beside = one.left + one.width <= other.left || other.left + other.width <= one.left;
  return !beside && one.top < other.top + other.height && other.top < one.top + one.height;
}

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

  /** Somebody points at an element, and soon, or `now`, its remark is shown. */
  point(target, now = false) {
    const element = target?.closest?.("[data-tip]") ?? null;
    if (target !== this.lit) this.light((this.lit = target));
    if (element === this.pointed && !(now && this.el.hidden)) return;
    this.pointed = element;
    clearTimeout(this.dwelling);
    this.say("");
    if (element) this.dwelling = setTimeout(() => element.isConnected && this.remark(element), now ? 0 : DWELL);
  }

  /** Shows the element's remark, and lights up the element: a remark beside several must say whose it is. */
  remark(element) {
    this.say(element.dataset.tip, element);
    element.classList.add("ks-lit");
  }

  /** A mouse or a key changes something here: its remark has been seen, and does not cover what changes now. */
  hush(target) {
    this.point(target);
    clearTimeout(this.dwelling);
    this.say("");
  }

  /** The picture has changed: what is said of a part that has gone is hidden. */
  settle() {
    if (this.pointed && !this.pointed.isConnected) this.point(null);
  }

  /** The places of what one can press, drag or point at, but for the element. */
  handles(element) {
    const all = [...this.frame.querySelectorAll("svg :is([data-set], [data-drag], [data-tip])")];
    return all.filter((each) => !each.contains(element) && !element.contains(each)).map((each) => each.getBoundingClientRect());
  }

  /** Shows this text above the element, below it where it would cover what the panel says or a handle; "" hides it. */
  say(text, beside) {
    clearTimeout(this.dwelling);
    this.el.hidden = !text;
    this.el.textContent = text ?? "";
    if (!text || !beside) return;
    const frame = this.frame.getBoundingClientRect(), box = beside.getBoundingClientRect();
    const { offsetWidth: wide, offsetHeight: high } = this.el, above = box.y - high - GAP;
    const said = this.frame.querySelector(".ks-top")?.getBoundingClientRect().bottom ?? frame.y + 2;
    const left = clamp(box.x - frame.x + box.width / 2 - wide / 2, 0, Math.max(frame.width - wide, 0));
    const below = box.bottom + GAP, place = { left: left + frame.x, width: wide, height: high };
    const covers = (top) => this.handles(beside).some((each) => overlap(each, { ...place, top }));
    const top = above > said && (!covers(above) || covers(below)) ? above : below;
    Object.assign(this.el.style, { left: `${left}px`, top: `${top - frame.y}px` });
  }
}
