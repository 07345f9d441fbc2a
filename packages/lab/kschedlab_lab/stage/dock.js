// The stage beside the text. The panels of a notebook share one place that stays in sight; in it is the panel next to
// what one reads. Each panel's own cell keeps a line that says what it shows. Where there is no room for both, panels
// stay in their cells.

import { coded, make } from "./dom.js";
import { keep, kept } from "./kept.js";
import { say } from "./language.js";

const LEAST = 900; // pixels that text and stage need side by side, in a notebook or in a window
const READ = 0.6; // of the height: one reads above it
const FRESH = 250; // milliseconds in which all cells of "Run All" are one change
const CHOICE = "dock"; // the browser keeps false by this name for a reader who wants panels in the text

/** Where panels may share a place: a notebook in JupyterLab, or a page of the course. */
const SHARED = ".jp-Notebook, main.ks-course";
/** Panels that belong to a larger one, with a terminal or a file picker, stay with it. */
const APART = ".widget-vbox.kschedlab";

/** What a panel leaves in its cell: what it asks or says, and a click that brings it to the stage. */
export class Line {
  constructor(bring) {
    this.el = make("button", { type: "button", class: "ks-line", onclick: bring, title: say("bring this picture to the stage") });
  }

  show({ asking, covered, verdict, error }, headline) {
    const text = asking?.text ?? covered ?? error ?? "", mark = verdict && (verdict.answer === null ? "" : verdict.right ? "✓ " : "✕ ");
    const said = text ? coded(text) : [...headline.childNodes].map((each) => each.cloneNode(true));
    this.el.replaceChildren(make("span", { class: "ks-line-mark", "aria-hidden": "true" }, asking || covered ? "?" : "▸"), make("span", {}, mark || "", ...said));
  }

  set current(on) {
    this.el.classList.toggle("ks-current", on);
    this.el.setAttribute("aria-pressed", String(on));
  }
}

class Dock {
  /** `page`: the notebook or the page; `scroller`: what scrolls in it, null for the window. */
  constructor(page) {
    Object.assign(this, { page, stages: new Set(), fresh: [], active: null, pinned: false });
    this.scroller = page.querySelector(":scope > .jp-WindowedPanel-outer");
    this.el = make("aside", { class: "ks-dock", "aria-label": say("Stage") });
    page.append(this.el);
    (this.scroller ?? document).addEventListener("scroll", () => this.scrolled(), { passive: true });
    for (const name of ["wheel", "touchmove", "keydown"]) page.addEventListener(name, () => (this.pinned = false), { passive: true });
    addEventListener("pointerdown", ({ target }) => target === (this.scroller ?? document.documentElement) && (this.pinned = false)); // its scrollbar
    new ResizeObserver(() => this.arrange()).observe(page);
    addEventListener("beforeprint", () => this.put(false));
    addEventListener("afterprint", () => this.arrange());
  }

  get wanted() {
    return kept(CHOICE) !== false;
  }

  set wanted(on) {
    keep(CHOICE, on);
    this.arrange();
  }

  get fits() {
    return (this.scroller ? this.page.clientWidth : innerWidth) >= LEAST;
  }

  add(stage) {
    if (this.stages.has(stage)) return;
    this.stages.add(stage);
    this.fresh.push(stage);
    this.arrange();
    clearTimeout(this.arriving);
    this.arriving = setTimeout(() => this.arrived(), FRESH);
  }

  /** In a notebook one new panel is what somebody has just run. Of many, and on a page, the nearest is shown. */
  arrived() {
    const [only, ...others] = this.fresh;
    this.fresh = [];
    if (this.scroller && !others.length && this.stages.has(only) && this.shows(only)) this.bring(only);
    else this.follow();
  }

  /** Whether this panel's line is in the window. */
  shows({ host }) {
    const { top, bottom } = host.getBoundingClientRect(), page = this.window();
    return host.isConnected && bottom > page.top && top < page.top + page.height;
  }

  /** The part of the text that is in sight. */
  window() {
    return this.scroller ? this.page.getBoundingClientRect() : { top: 0, height: innerHeight };
  }

  remove(stage) {
    this.stages.delete(stage);
    stage.el.remove();
    if (this.active !== stage) return;
    Object.assign(this, { active: null, pinned: false });
    this.arrange();
  }

  /** Panels beside the text or in it, as there is room. */
  arrange() {
    this.put(this.on = this.fits && this.wanted && this.stages.size > 0);
  }

  put(beside) {
    this.page.classList.toggle("ks-beside", beside);
    for (const stage of this.stages) stage.dock(beside);
    if (beside) return void (this.active ? this.show(this.active) : this.follow());
    for (const stage of this.stages) if (stage.el.parentElement !== stage.host) stage.host.append(stage.el);
  }

  scrolled() {
    if (!this.on || this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.pinned &&= this.shows(this.active);
      this.follow();
    });
  }

  /** Shows the panel whose line was read last. */
  follow() {
    if (!this.on || this.pinned) return;
    const { top, height } = this.window();
    const placed = [...this.stages].filter(({ host }) => host.isConnected && host.offsetParent);
    const places = placed.map((stage) => [stage.host.getBoundingClientRect().top, stage]).sort((one, other) => one[0] - other[0]);
    const read = places.filter(([at]) => at < top + READ * height);
    const [, next] = read.at(-1) ?? places[0] ?? [];
    if (next) this.show(next);
  }

  /** Somebody asks for this panel: it stays until the reader moves on. */
  bring(stage) {
    if (!this.on) return;
    this.pinned = true;
    this.show(stage);
  }

  show(stage) {
    const last = this.active;
    this.active = stage;
    for (const each of this.stages) each.line.current = each === stage;
    if (this.el.firstElementChild === stage.el) return;
    const picture = last?.el.isConnected ? last.picture.svg : null;
    last?.pause();
    this.el.replaceChildren(stage.el);
    this.el.scrollTop = 0;
    if (picture) stage.picture.follow(picture);
  }
}

/** The place that this panel shares with others; null where it is on its own. */
export function dockOf(host) {
  const page = host.closest(SHARED);
  if (!page || host.closest(APART)) return null;
  return (page.ksDock ??= new Dock(page)); // each widget brings this file: the first one's serves all
}
