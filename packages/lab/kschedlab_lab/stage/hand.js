// The hand on the picture: pulls handles and clicks.

import { Drop, FIRM } from "./drop.js";
import { surviving } from "./press.js";

const STEP = -14; // units of the picture for a value, where a handle does not say it

// No ring shows what has the focus while a mouse or a finger is used, also where the picture is drawn again under it.
const KEYS = /^(Tab|Enter| |Escape|Arrow|Page|Home|End)/; // those of the picture: Ctrl alone, or a letter, moves no focus
const pointing = (on) => document.documentElement.classList.toggle("ks-pointing", on);
document.addEventListener("pointerdown", () => pointing(true), true);
document.addEventListener("keydown", ({ key }) => KEYS.test(key) && pointing(false), true);

export class Hand {
  constructor(stage) {
    this.stage = stage;
    this.picture = stage.picture.el;
    const pick = (answer) => (stage.question.pick(answer), stage.isLarge); // before a class it is a vote
    this.dropped = new Drop(this.picture, { asks: () => Boolean(stage.shown.asking), pick });
    const on = (name, act) => this.picture.addEventListener(name, act);
    on("pointerdown", (event) => this.grab(event));
    this.picture.addEventListener("touchstart", (event) => this.hold(event), { passive: false });
    on("pointermove", (event) => (this.held ? this.drag(event) : this.rest(event)));
    on("pointerup", () => this.held && this.release());
    on("pointercancel", () => this.letGo());
    on("click", (event) => this.ignoreClick || this.click(event.target));
    surviving(this.picture, "[data-pick], [data-set]", (element) => this.held || this.click(element));
  }

  /** Whether something is held or carried. */
  get isBusy() {
    return Boolean(this.held || this.dropped.held);
  }

  /** A finger on a handle, or on a pod to drop, moves it, not the page: `touch-action` of a part of an SVG is not obeyed. */
  hold(event) {
    const moves = this.stage.shown.asking ? this.dropped.pod(event.target) : event.target.closest("[data-drag]");
    if (moves) event.preventDefault();
  }

  grab(event) {
    const { stage } = this;
    if (event.button || stage.shown.asking) return;
    const handle = event.target.closest("[data-drag]");
    if (!handle || !this.picture.contains(handle)) return;
    const { drag: name, axis, step, least } = handle.dataset;
    this.held = {
      handle, name, across: axis === "x", step: Number(step ?? STEP), least: Number(least ?? 0),
      from: [event.clientX, event.clientY], began: stage.at[name], moved: false,
      scale: stage.picture.svg.getScreenCTM()?.a || 1,
    };
    handle.focus?.({ preventScroll: true });
    stage.ahead(name);
    event.preventDefault();
  }

  drag(event) {
    const { held, stage } = this, by = [event.clientX - held.from[0], event.clientY - held.from[1]];
    if (!held.moved && Math.hypot(...by) < FIRM) return;
    if (!held.moved) {
      held.moved = true;
      this.picture.setPointerCapture(event.pointerId);
      stage.el.classList.add("ks-dragging", "ks-pulled");
    }
    this.last = [event.clientX, event.clientY];
    const at = held.began + Math.round(by[held.across ? 0 : 1] / held.scale / held.step);
    stage.turn(held.name, at, held.least);
  }

  /** The number that was pulled keeps its ring, wherever it is now, until the pointer moves on from where it was let go:
   * another number may have come under it. */
  rest({ clientX, clientY }) {
    if (this.last && Math.hypot(clientX - this.last[0], clientY - this.last[1]) < FIRM) return;
    this.last = null;
    this.stage.el.classList.remove("ks-pulled");
  }

  release() {
    const { moved, handle } = this.held;
    const pill = !moved && handle.querySelector(".ks-pill");
    if (pill) this.nudge(pill.getBoundingClientRect());
    this.letGo();
    if (moved) this.ignoreClick = true; // the browser makes one of it
    setTimeout(() => (this.ignoreClick = false));
  }

  /** A click on a number's left half is one step to the left, on its right half one to the right; of two values, the other,
   * unless a pale caret says where there is none. */
  nudge({ left, width }) {
    const { handle, name, began, from, step } = this.held, { stage } = this;
    const last = stage.last(stage.controls.find((control) => control.name === name));
    const by = Math.sign(step) * (from[0] < left + width / 2 ? -1 : 1);
    stage.turn(name, last === 1 && !handle.querySelector(".ks-pale") ? 1 - began : began + by);
    this.ignoreClick = true;
  }

  letGo() {
    this.held = null;
    this.stage.el.classList.remove("ks-dragging");
    this.stage.question.show();
    this.stage.measure(); // what went while it was held leaves its space to the picture
  }

  /** Answers the open question, or sets what the element says. */
  click(target) {
    const { stage } = this;
    if (stage.shown.asking) {
      const pick = target.closest("[data-pick]");
      if (pick) stage.question.pick(pick.dataset.pick);
      return;
    }
    const element = target.closest("[data-set]");
    if (element) stage.set(stage.read(element.dataset.set));
  }
}
