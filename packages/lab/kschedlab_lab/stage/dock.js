// The stage. The panels of a notebook share one place that stays in sight; in it is the panel of what one reads. The first
// panel after a heading belongs to the text from that heading on, another one to the text from its own line on.
// Each panel's own cell keeps a line that says what it shows. The stage is beside the text, or on a narrow page above it;
// in a narrow notebook, panels stay in their cells. Exercises, which have their own pictures, and forms always take the whole
// width: they push the stage up and away as one scrolls to them. So does the text from the heading before them on, if no
// panel comes after it: there it has the width that reads best.

import { clamp, coded, divideText, keepFocus, make } from "./dom.js";
import { keep, kept } from "./kept.js";
import { say } from "./language.js";
import { veil } from "./veil.js";

const LEAST = 900; // pixels that text and stage need side by side, in a notebook or in a window
const READ = 0.6; // of the height of the text in sight: one reads above it
const BEGUN = 0.5; // of that height: above it, one reads what a heading begins
const STAYS = 0.8; // of that height: so much text is at least between the last panel's line and what pushes the stage away
const SOON = 2; // heights of the window below the beginning of the text in sight: before that, one does not read of the first panel yet
const SLIGHTLY = 16; // pixels of a line that may be above what is in sight, or of the stage that may still be
const LINE = 20; // pixels of a line, for a wheel that counts lines
const FRESH = 250; // milliseconds in which all cells of "Run All", or a cell that is run again, are one change
const CHOICE = "dock"; // the browser keeps false by this name for a reader who wants panels in the text

/** Where panels may share a place: a notebook in JupyterLab, or a page of the course. */
const SHARED = ".jp-Notebook, main.ks-course";
const HEADING = "h2, h3", CELL = ".jp-Cell";
const WHOLE = "ks-whole"; // class of a cell that takes the whole width
const REST = "ks-rest", COLUMN = "ks-column", SPLIT = "ks-split"; // classes of the cells after the last panel's text, of what is before their heading in the first one, and of that one
const OURS = "ks-ours"; // class of the notebook: a rule with :has() would cost a second of every "Run All"
const BESIDE = "ks-beside", ABOVE = "ks-above", ALONE = "ks-alone"; // classes of the page; the last one: it is beside, but away

/** What a panel leaves in its cell: what it asks, with the answer once it is known, or what it says; and a click that brings it to the stage. */
export class Line {
  constructor(bring) {
    this.el = make("button", { type: "button", class: "ks-line", onclick: bring, title: say("bring this picture to the stage") });
  }

  show({ asking, covered, own, verdict, answered, error }, headline) {
    const judged = verdict ?? answered; // what was asked stays in the text, whatever is tried on the stage
    const text = asking?.text ?? (own || (covered && say("after your answer"))) ?? (judged || headline.textContent ? "" : error) ?? "";
    const mark = !judged || judged.answer === null || judged.votes ? "" : judged.right ? " ✓" : say(" (you: {answer} ✕)", { answer: judged.answer }); // after it: a cross before a true sentence would deny it
    const solved = judged?.solution ? [...coded(judged.text), " ", make("b", { class: "ks-chosen" }, ...coded(judged.solution))] : null;
    const said = text ? coded(text) : solved ?? [...headline.childNodes].map((each) => each.cloneNode(true));
    this.el.replaceChildren(make("span", { class: "ks-line-mark", "aria-hidden": "true" }, asking || covered ? "?" : "▸"), make("span", {}, ...said, mark));
  }

  set current(on) {
    this.el.classList.toggle("ks-current", on);
    this.el.setAttribute("aria-pressed", String(on));
  }
}

class Dock {
  /** `page`: the notebook or the page; `scroller`: what scrolls in it, null for the window. */
  constructor(page) {
    Object.assign(this, { page, stages: new Set(), fresh: [], active: null, pinned: false, away: false, untouched: true });
    this.scroller = page.querySelector(":scope > .jp-WindowedPanel-outer");
    this.grip = make("button", { type: "button", class: "ks-grip", onclick: () => (this.tall = !this.tall) });
    this.el = make("aside", { class: "ks-dock", "aria-label": say("Stage") }, this.grip);
    this.tall = false;
    this.listen();
  }

  listen() {
    const end = new AbortController(), { signal } = end, arrange = () => this.arrange();
    const unpin = ({ target }) => {
      this.untouched = false;
      this.pinned &&= this.el.contains(target); // who moves something on the stage reads on later
    };
    (this.scroller ?? document).addEventListener("scroll", () => this.scrolled(), { passive: true, signal });
    for (const name of ["wheel", "touchmove", "keydown"]) this.page.addEventListener(name, unpin, { passive: true, signal });
    this.el.addEventListener("wheel", (event) => this.scroller && this.readOn(event), { passive: true, signal });
    const bar = this.scroller ?? document.documentElement;
    addEventListener("pointerdown", (event) => event.target === bar && unpin(event), { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && (this.tall = false), { signal });
    const own = (event) => this.scroller && event.stopPropagation(); // JupyterLab would take the focus back to a cell
    this.el.addEventListener("focusin", own, { signal });
    this.el.addEventListener("keydown", (event) => event.target === this.active?.el || own(event), { signal }); // a panel's frame has no keys
    addEventListener("beforeprint", () => this.put(""), { signal });
    addEventListener("afterprint", arrange, { signal });
    const resized = new ResizeObserver(arrange), grown = new ResizeObserver(() => (this.veil(), this.makeRoom(), this.slide()));
    resized.observe(this.page);
    for (const each of this.scroller?.querySelectorAll(".jp-WindowedPanel-viewport") ?? []) grown.observe(each);
    for (const each of [resized, grown]) signal.addEventListener("abort", () => each.disconnect());
    this.end = end;
  }

  /** A wheel over the stage scrolls the text where nothing under it scrolls. */
  readOn({ target, deltaX, deltaY, deltaMode, ctrlKey }) {
    if (ctrlKey || this.active?.isLarge || Math.abs(deltaX) > Math.abs(deltaY)) return;
    for (let each = target; each !== this.page; each = each.parentElement) if (scrolls(each, deltaY)) return;
    this.scroller.scrollTop += deltaY * [1, LINE, this.scroller.clientHeight][deltaMode];
  }

  get wanted() {
    return kept(CHOICE) !== false;
  }

  set wanted(on) {
    keep(CHOICE, on);
    this.arrange();
  }

  /** Where a stage may be: a class of the page, or "" for nowhere. */
  get fits() {
    const wide = (this.scroller ? this.page.clientWidth : innerWidth) >= LEAST;
    return wide ? BESIDE : this.scroller ? "" : ABOVE;
  }

  /** Whether the stage above the text takes the whole window. */
  get tall() {
    return this.el.classList.contains("ks-tall");
  }

  set tall(on) {
    this.el.classList.toggle("ks-tall", on);
    this.grip.textContent = on ? say("Back to the text") : say("Larger");
    this.grip.setAttribute("aria-expanded", String(on));
    this.active?.measure();
  }

  add(stage) {
    if (this.stages.has(stage)) return;
    this.stages.add(stage);
    this.fresh.push(stage);
    this.arrange();
    this.veil();
    this.soon(() => this.arrived());
  }

  /** Veils the text that tells what is still asked. */
  veil() {
    veil(this.page, this.stages);
  }

  soon(act) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(act, FRESH);
  }

  /** In a notebook one new panel is what somebody has just run. Of many, and on a page, the nearest is shown. */
  arrived() {
    if (this.untouched && this.scroller && runs(this.page)) return this.soon(() => this.arrived());
    const [only, ...others] = this.fresh;
    if (this.untouched && (others.length || (this.stages.has(only) && !this.shows(only)))) this.begin();
    this.untouched = false;
    this.fresh = [];
    if (this.scroller && !others.length && this.stages.has(only) && this.shows(only)) this.bring(only);
    else this.follow();
  }

  /** "Run All" leaves a notebook at its end: back to its beginning, or to its first panel. */
  begin() {
    if (!this.scroller) return;
    this.scroller.scrollTop = 0;
    const first = this.placed().find(({ stage }) => stage);
    if (first && !this.shows(first.stage)) first.host.scrollIntoView({ block: "center" });
  }

  /** Whether this panel's line is in the window. */
  shows({ host }) {
    const { top, bottom } = host.getBoundingClientRect(), page = this.window();
    return host.isConnected && bottom > page.top && top < page.top + page.height;
  }

  /** The part of the text that is in sight. */
  window() {
    if (this.scroller) return this.page.getBoundingClientRect();
    const top = this.place === ABOVE ? Math.min(this.el.getBoundingClientRect().bottom, innerHeight) : 0;
    return { top, height: innerHeight - top };
  }

  /** A cell that is run again brings a new panel at once: until then its last picture stays. */
  remove(stage) {
    this.stages.delete(stage);
    this.veil();
    if (this.active !== stage) return;
    Object.assign(this, { active: null, pinned: false });
    this.soon(() => (this.stages.size ? this.follow() : this.leave()));
  }

  /** The notebook was closed, or shows panels no more. */
  leave() {
    this.end.abort();
    this.put("");
    this.el.remove();
    delete this.page.ksDock;
  }

  /** Panels on the stage or in the text, as there is room. */
  arrange() {
    this.put(this.wanted ? this.fits : "");
  }

  put(place) {
    this.place = place;
    this.mark();
    for (const stage of this.stages) stage.dock(Boolean(place));
    this.makeRoom();
    if (place) {
      this.enter(place);
      this.slide();
      return void (this.active ? this.show(this.active) : this.follow());
    }
    const outside = [...this.stages].filter(({ el, host }) => el.parentElement !== host);
    keepFocus(this.page, () => outside.forEach(({ el, host }) => host.append(el)), this.active?.el);
    outside.forEach((each) => each.moved());
  }

  /** Tells the page where the stage is. */
  mark() {
    for (const each of [BESIDE, ABOVE]) this.page.classList.toggle(each, this.place === each && !this.away);
    this.page.classList.toggle(ALONE, this.place === BESIDE && this.away);
    this.page.style.setProperty("--ks-page", `${this.page.clientWidth}px`);
  }

  /** Beside the text, the stage ends above what takes the whole width, and leaves the bar that scrolls the text free. */
  slide() {
    if (this.place !== BESIDE || !this.scroller) return;
    const { top, bottom, height } = this.page.getBoundingClientRect();
    const edge = (each) => each.getBoundingClientRect(), ahead = this.wholes.filter((each) => each === this.rest || edge(each).bottom > top);
    this.el.style.setProperty("--ks-up", `${clamp(Math.min(bottom, ...ahead.map((each) => edge(each).top)) - bottom, -height, 0)}px`);
    this.el.style.setProperty("--ks-bar", `${this.scroller.offsetWidth - this.scroller.clientWidth}px`);
  }

  /** Beside the text, a panel whose text is short stays whole while one reads it: what pushes it away begins lower. */
  makeRoom() {
    if (!this.scroller) return;
    this.widen();
    const places = this.placed(), least = this.place === BESIDE ? STAYS * this.window().height : 0;
    for (const [i, { host, stage, at }] of places.entries()) {
      const last = places[i - 1];
      if (stage || !last?.stage) continue;
      const between = [...this.page.querySelectorAll(HEADING)].findLast((each) => follows(last.host, each) && follows(each, host));
      const begins = between ?? (host === this.rest ? host : host.closest(CELL)), space = begins === host ? "marginTop" : "paddingTop";
      const now = parseFloat(begins.style[space]) || 0, room = Math.max(0, Math.round(least - (at - now - last.at)));
      if (room !== now) begins.style[space] = room ? `${room}px` : "";
    }
  }

  /** Finds the heading from which on no panel is beside the text: the first one after the last panel, before an exercise or a form. */
  widen() {
    if (!this.active && this.rest?.isConnected) return; // a panel that is run again will be there at once
    const hosts = new Set([...this.stages].map(({ host }) => host));
    const marks = [...this.page.querySelectorAll(`${HEADING}, .kschedlab, .${WHOLE}`)], last = marks.findLastIndex((each) => hosts.has(each));
    const [next, ...after] = last < 0 ? [] : marks.slice(last + 1), rest = next?.matches(HEADING) && after.some((each) => each.matches(`.${WHOLE}`)) ? next : null;
    if (this.rest && this.rest !== rest) this.rest.style.marginTop = "";
    this.rest = rest;
    const cells = [...this.page.querySelectorAll(CELL)], from = rest ? cells.indexOf(rest.closest(CELL)) : cells.length;
    for (const [i, each] of cells.entries()) {
      each.classList.toggle(REST, i >= from);
      each.classList.toggle(SPLIT, i === from && Boolean(rest.previousElementSibling));
    }
    for (const each of rest?.parentElement.children ?? []) each.classList.toggle(COLUMN, follows(each, rest));
  }

  /** What no panel is beside: cells that take the whole width, and the heading from which on the text does. */
  get wholes() {
    return [...this.page.querySelectorAll(`.${WHOLE}`), ...(this.rest?.isConnected ? [this.rest] : [])];
  }

  /** Takes the stage away, or brings it back; cells get another width, and this element stays where it is. */
  step(away, read) {
    if (away === this.away) return;
    this.away = away;
    const before = read.getBoundingClientRect().top;
    keepFocus(this.el, () => this.mark(), this.page.querySelector(".jp-Cell.jp-mod-active"));
    (this.scroller ?? document.scrollingElement).scrollTop += read.getBoundingClientRect().top - before;
    this.active?.measure();
  }

  /** Above the text, the stage begins where its first panel is. */
  enter(place) {
    if (place === BESIDE) {
      if (this.el !== this.page.lastElementChild) this.page.append(this.el);
      return;
    }
    const first = this.placed().find(({ stage }) => stage), cell = [...this.page.children].find((each) => each.contains(first?.host));
    if (cell && !this.el.isConnected) cell.before(this.el);
  }

  /** The heading before each panel that is the first one after it. */
  headings() {
    const stages = new Map([...this.stages].map((stage) => [stage.host, stage])), begins = new Map();
    let heading = null;
    for (const each of this.page.querySelectorAll(`${HEADING}, .kschedlab`)) {
      if (each.matches(HEADING)) heading = each;
      else if (heading && stages.has(each)) begins.set(stages.get(each), heading), (heading = null);
    }
    return begins;
  }

  /** The panels, and the cells that take the whole width, in the text's order: `at` is the place of its line or cell, `from`
   * where one begins to read of it. */
  placed() {
    const begins = this.headings();
    const panels = [...this.stages].map((stage) => ({ stage, host: stage.host, heading: begins.get(stage) }));
    const wholes = this.wholes.map((host) => ({ host }));
    const there = [...panels, ...wholes].filter(({ host }) => host.isConnected && host.offsetParent);
    const top = (element) => element.getBoundingClientRect().top;
    return there.map((each) => ({ ...each, at: top(each.host), from: top(each.heading ?? each.host) })).sort((one, other) => one.at - other.at);
  }

  scrolled() {
    if (!this.place || this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.slide();
      this.pinned &&= this.active && this.shows(this.active);
      this.follow();
    });
  }

  /** Shows the panel that one read of last; of several whose lines are in sight, the first one that still asks. */
  follow() {
    if (!this.place || this.pinned || this.tall || this.active?.isLarge) return;
    const { top, height } = this.window(), line = top + READ * height, places = this.placed();
    const begun = ({ stage, at, from }) => (stage ? at < line || from < top + BEGUN * height : at < top + SLIGHTLY);
    const read = places.filter(begun);
    const last = read.at(-1) ?? places.find(({ at, stage }) => stage && at < top + SOON * innerHeight);
    if (!places.length) return;
    const stage = last?.stage && this.opening((read.find(({ at, stage }) => at > top - SLIGHTLY && stage?.shown.asking) ?? last).stage, places);
    this.step(!stage, this.held(places, line) ?? places[0].host);
    stage?.el.classList.toggle("ks-waited-for", Boolean(stage.shown.asking) && last.stage.shown.covered === stage.shown.asking.text);
    if (!stage) return void this.active?.pause();
    this.show(stage);
    places[places.indexOf(last) + 1]?.stage?.room.foresee(stage.room);
  }

  /** A covered panel has nothing to see yet: the one whose question covers it, else the last picture before it. */
  opening(stage, places = this.placed()) {
    const { covered } = stage.shown;
    if (!covered) return stage;
    const asks = places.find((each) => each.stage?.shown.asking?.text === covered);
    const before = places.slice(0, places.findIndex((each) => each.stage === stage));
    return (asks ?? before.findLast((each) => each.stage && !each.stage.shown.covered))?.stage;
  }

  /** What the eye is on: the line or card in sight that is nearest to this height, else what is at it. */
  held(places, line) {
    const { top, height } = this.window(), seen = places.filter(({ at }) => at >= top && at < top + height);
    const [near] = seen.sort((one, other) => Math.abs(one.at - line) - Math.abs(other.at - line));
    return near?.host ?? document.elementFromPoint(this.page.getBoundingClientRect().left + 80, line);
  }

  /** Somebody asks for this panel: it stays until the reader moves on. */
  bring(stage) {
    if (!this.place) return;
    this.pinned = true;
    this.step(false, stage.host);
    this.show(this.opening(stage) ?? stage);
  }

  /** A cluster that lives has changed: its picture takes the stage where one sees its line and has nothing in hand on the
   * stage, or looks at another tab, such as a terminal. */
  lives(stage) {
    if (!this.page.getBoundingClientRect().width) Object.assign(this, { active: stage, pinned: true });
    else if (this.shows(stage) && !this.el.matches(":hover") && !this.el.contains(document.activeElement)) this.bring(stage);
  }

  show(stage) {
    const last = this.active;
    this.active = stage;
    for (const each of this.stages) each.line.current = each === stage;
    if (this.el.firstElementChild === stage.el) return;
    const picture = this.el.querySelector(".ks-picture > svg");
    if (last !== stage) last?.pause();
    keepFocus(this.page, () => this.el.replaceChildren(stage.el, this.grip), stage.el);
    this.el.scrollTop = stage.el.scrollTop = 0;
    stage.moved();
    if (picture) stage.picture.follow(picture);
  }
}

/** Whether the second element comes after the first one. */
const follows = (first, second) => Boolean(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING);

/** What this element is in takes the whole width, once it is on the page. */
export function takeWhole(host) {
  const arrival = new ResizeObserver(() => {
    const cell = host.closest(CELL);
    if (!cell) return;
    arrival.disconnect();
    cell.classList.add(WHOLE);
    host.closest(SHARED)?.ksDock?.scrolled();
  });
  arrival.observe(host);
}

/** Whether a wheel that turns so far moves what is in this element. */
const scrolls = (el, by) =>
  /auto|scroll/.test(getComputedStyle(el).overflowY) && (by < 0 ? el.scrollTop > 0 : el.scrollTop + el.clientHeight < el.scrollHeight - 1);

/** The text of a notebook with panels follows their style. */
function mine(notebook, lang) {
  notebook.classList.add(OURS);
  for (const text of notebook.querySelectorAll(".jp-RenderedMarkdown")) divideText(text);
  if (lang) notebook.lang = lang;
}

/** Whether cells of this notebook are still to be run. */
const runs = (notebook) => [...notebook.querySelectorAll(".jp-InputPrompt")].some((each) => each.textContent.includes("*"));

/** The place that this panel shares with others; null where it is on its own. */
export function dockOf(host) {
  const page = host.closest(SHARED);
  if (!page) return null;
  if (page.matches(".jp-Notebook")) mine(page, host.lang);
  return (page.ksDock ??= new Dock(page)); // each widget brings this file: the first one's serves all
}
