// First, Back, Play, Next, a slider and the speed: for the steps of a panel and the moments of a story.

import { button, clamp, make } from "./dom.js";
import { say } from "./language.js";
import { DRAG } from "./motion.js";

const SPEEDS = { "½×": 2600, "1×": 1300, "2×": 650, "4×": 325 }; // milliseconds for a step

const named = (text, name, act) => button(text, act, { "aria-label": name, title: name });

export class Player {
  /**
   * `where` gives where it is and the last place, `go` moves, `ready` hears that it will. Play walks to the last place;
   * from there it begins again. `host.playing` is the one player of a stage that walks now.
   */
  constructor(host, { label, sliderLabel = label, where, go, ready = () => {} }) {
    Object.assign(this, { host, where, go, ready });
    const step = (by) => () => (this.host.pause(), go(clamp(where()[0] + by, 0, where()[1])));
    this.first = named("|◂", say("First"), step(-Infinity));
    this.back = named("◂", say("Back"), step(-1));
    this.next = named("▸", say("Next"), step(1));
    this.play = named("▶", say("Play"), () => (this.plays ? this.host.pause() : this.start()));
    this.slider = make("input", { type: "range", min: 0, step: 1, "aria-label": sliderLabel });
    this.slider.addEventListener("input", () => (this.host.pause(), go(Number(this.slider.value), DRAG)));
    for (const cause of ["pointerdown", "focus"]) this.slider.addEventListener(cause, () => ready());
    this.output = make("span", { class: "ks-value", "aria-hidden": "true" });
    const speeds = Object.entries(SPEEDS).map(([name, wait]) => make("option", { value: wait, selected: name === "1×" }, name));
    this.speed = make("select", { "aria-label": say("Speed"), title: say("speed") }, ...speeds);
    this.root = make("div", { role: "group", "aria-label": label },
      this.first, this.back, this.play, this.next, this.slider, this.output, this.speed);
  }

  get plays() {
    return this.host.playing === this;
  }

  /** Shows where it is; `words` say so. */
  update(words) {
    const [at, last] = this.where();
    this.slider.max = last;
    this.slider.value = at;
    this.output.textContent = words(at, last);
    this.first.disabled = this.back.disabled = at === 0;
    this.next.disabled = at >= last;
  }

  start() {
    this.host.pause();
    this.host.playing = this;
    this.play.textContent = "❚❚";
    this.play.setAttribute("aria-label", say("Pause"));
    this.ready();
    const [at, last] = this.where();
    if (at >= last) this.go(0);
    this.timer = setTimeout(() => this.walk(), Number(this.speed.value) / 2);
  }

  walk() {
    const [at, last] = this.where();
    if (at >= last) return this.host.pause();
    this.go(at + 1);
    this.timer = setTimeout(() => this.walk(), Number(this.speed.value));
  }

  stop() {
    clearTimeout(this.timer);
    this.play.textContent = "▶";
    this.play.setAttribute("aria-label", say("Play"));
    this.host.playing = null;
  }
}
