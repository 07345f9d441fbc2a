// Back, Play, Next and a line of dots: for the steps of a panel and the moments of a story. It plays at reading speed.

import { button, clamp, make } from "./dom.js";
import { say } from "./language.js";
import { DRAG } from "./motion.js";
import { readingOn, readingTime } from "./saying.js";

const DOTS = 40, WIDE = 11; // as many steps are dots on the line; pixels that a dot needs

const named = (text, name, act) => button(text, act, { "aria-label": name, title: name });

export class Player {
  /**
   * `where` gives where it is and the last place, `go` moves, `ready` hears that it will. Play walks to the last place;
   * from there it begins again. `host.playing` is the one player of a stage that walks now. `brief`: a step may
   * repeat the words of the last one, so only new words take time to read. `pace`: the part of that time that it takes.
   * `over`: what the button says at the last place.
   */
  constructor(host, { label, sliderLabel = label, where, go, ready = () => {}, brief = false, pace = 1, over = say("Play") }) {
    Object.assign(this, { host, where, go, ready, brief, pace, over });
    const step = (by) => () => (this.host.pause(), go(clamp(where()[0] + by, 0, where()[1])));
    this.back = named("‹", say("Back"), step(-1));
    this.next = named("›", say("Next"), step(1));
    this.play = button(say("Play"), () => (this.plays ? this.host.pause() : this.start()), { class: "ks-main" });
    this.slider = make("input", { type: "range", min: 0, step: 1, "aria-label": sliderLabel });
    this.slider.addEventListener("input", () => (this.host.pause(), go(Number(this.slider.value), DRAG)));
    for (const cause of ["pointerdown", "focus"]) this.slider.addEventListener(cause, () => ready());
    this.output = make("span", { class: "ks-value", "aria-hidden": "true" });
    new ResizeObserver(() => this.dot()).observe(this.slider);
    this.root = make("div", { role: "group", "aria-label": label }, this.back, this.play, this.next, this.slider, this.output);
  }

  get plays() {
    return this.host.playing === this;
  }

  /** Shows where it is; `words` say so. */
  update(words) {
    const [at, last] = this.where();
    this.slider.max = last;
    this.slider.value = at;
    this.dot();
    this.slider.style.setProperty("--ks-at", last ? at / last : 0);
    this.output.textContent = words(at, last);
    if (!this.plays) this.play.textContent = this.word;
    this.back.disabled = at === 0;
    this.next.disabled = at >= last;
  }

  /** What the button says that plays. */
  get word() {
    const [at, last] = this.where();
    return at >= last ? this.over : say("Play");
  }

  /** Steps are dots if they have room beside each other. */
  dot() {
    const last = Number(this.slider.max), room = this.slider.clientWidth / WIDE;
    this.slider.style.setProperty("--ks-dots", last <= DOTS && last <= room ? last : 0);
  }

  start() {
    this.host.pause();
    this.host.playing = this;
    this.play.textContent = say("Pause");
    this.ready();
    const [at, last] = this.where();
    if (at >= last) this.go(0);
    this.wait();
  }

  walk() {
    const [at, last] = this.where();
    this.go(Math.min(at + 1, last));
    this.wait();
  }

  /** Until what is said now has been read; at the last place there is nothing to wait for. */
  wait() {
    const [at, last] = this.where();
    if (at >= last) return this.host.pause();
    const text = this.host.saying.el.textContent, time = this.brief && this.text ? readingOn(text, this.text) : readingTime(text);
    this.text = text;
    this.timer = setTimeout(() => this.walk(), time * this.pace);
  }

  stop() {
    this.text = null;
    clearTimeout(this.timer);
    this.host.playing = null;
    this.play.textContent = this.word;
  }
}
