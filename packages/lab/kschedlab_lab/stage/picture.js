// The picture: shows the SVG that Python draws in place of the last one, with motion, and keeps the focus.

import { make, parsed } from "./dom.js";
import { leaving, MOVE, morph, still } from "./motion.js";

/** By what a handle is found again in the next picture. */
function handleId(element) {
  const { drag, pick, key } = element.dataset;
  return [drag, pick, key ?? element.getAttribute("aria-label")].join("|");
}

const PACE = 900; // milliseconds between two pictures of a way

export class Picture {
  /** `mark`: turns what is marked in an SVG into handles. `way`: the pictures that are still to come. */
  constructor(mark) {
    this.el = make("div", { class: "ks-picture" });
    this.mark = mark;
    this.way = [];
  }

  get svg() {
    return this.el.querySelector("svg");
  }

  /** Comes after another panel's picture in the same place: what both have moves on from there. */
  follow(last) {
    const markup = this.goal;
    if (!markup || !this.svg || still()) return;
    this.el.replaceChildren(last.cloneNode(true));
    Object.assign(this, { markup: null, way: [] });
    this.draw(markup, MOVE);
  }

  /** The picture that is there in the end. */
  get goal() {
    return this.way.at(-1) ?? this.markup;
  }

  /** Shows these one after the other; another picture ends that. */
  play([next, ...way]) {
    this.put(next, MOVE);
    this.way = way;
    this.el.classList.toggle("ks-on-its-way", way.length > 0);
    if (way.length) this.timer = setTimeout(() => this.play(this.way), PACE);
  }

  /** The picture that is there in the end, in another room; the way to it goes on. */
  refit(markup, duration) {
    if (this.way.length) this.way[this.way.length - 1] = markup;
    else this.draw(markup, duration);
  }

  draw(markup, duration) {
    if (markup === this.goal) return;
    clearTimeout(this.timer);
    this.way = [];
    this.el.classList.remove("ks-on-its-way");
    this.put(markup, duration);
  }

  put(markup, duration) {
    this.markup = markup;
    const old = this.svg, fresh = [...parsed(markup).childNodes];
    const focused = this.el.contains(document.activeElement) ? handleId(document.activeElement) : null;
    const moves = old && duration > 0 && !still() && document.visibilityState === "visible";
    const left = moves ? leaving(old, fresh) : null;
    this.el.replaceChildren(...fresh);
    const { svg } = this;
    if (!svg) return;
    const { width, height } = svg.viewBox.baseVal; // smaller, its text would have less than 12 px
    svg.style.setProperty("--ks-least", `${height}px`);
    svg.style.setProperty("--ks-broad", `${width}px`);
    this.mark(svg);
    if (left) morph(svg, left, duration);
    if (focused === null) return;
    this.keeps = true; // the focus does not come: it stays
    [...svg.querySelectorAll("[tabindex]")].find((each) => handleId(each) === focused)?.focus({ preventScroll: true });
    this.keeps = false;
  }
}
