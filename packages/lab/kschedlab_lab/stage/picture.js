// The picture: shows the SVG that Python draws in place of the last one, with motion, and keeps the focus.

import { make, parsed } from "./dom.js";
import { leaving, morph, still } from "./motion.js";

/** By what a handle is found again in the next picture. */
function handleId(element) {
  const { drag, carry, pick, key } = element.dataset;
  return [drag, carry, pick, key ?? element.getAttribute("aria-label")].join("|");
}

export class Picture {
  /** `mark`: turns what is marked in an SVG into handles. */
  constructor(mark) {
    this.el = make("div", { class: "ks-picture" });
    this.mark = mark;
  }

  get svg() {
    return this.el.querySelector("svg");
  }

  draw(markup, duration) {
    if (markup === this.markup) return;
    this.markup = markup;
    const old = this.svg, fresh = [...parsed(markup).childNodes];
    const focused = this.el.contains(document.activeElement) ? handleId(document.activeElement) : null;
    const moves = old && duration > 0 && !still() && document.visibilityState === "visible";
    const left = moves ? leaving(old, fresh) : null;
    this.el.replaceChildren(...fresh);
    const { svg } = this;
    if (!svg) return;
    svg.style.setProperty("--ks-least", `${svg.viewBox.baseVal.height}px`); // smaller, its text would have less than 12 px
    this.mark(svg);
    if (left) morph(svg, left, duration);
    if (focused === null) return;
    [...svg.querySelectorAll("[tabindex]")].find((each) => handleId(each) === focused)?.focus({ preventScroll: true });
  }
}
