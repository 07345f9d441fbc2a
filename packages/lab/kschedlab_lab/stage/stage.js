// The front end of every panel: it shows what Python computes and draws, and sends back what one does with it. It knows
// nothing about scheduling. CONTRIBUTING.md lists the marks that turn parts of a picture into handles.

import { row } from "./controls.js";
import { dockOf, Line } from "./dock.js";
import { button, clamp, divisible, keepFocus, make, parsed, tell } from "./dom.js";
import { Hand } from "./hand.js";
import { Keyboard } from "./keyboard.js";
import { learn, say } from "./language.js";
import { Mail } from "./mail.js";
import { announce, read } from "./marks.js";
import { Menu } from "./menu.js";
import { DRAG, MOVE, still } from "./motion.js";
import { Picture } from "./picture.js";
import { QuestionBox } from "./question.js";
import { Room } from "./room.js";
import { Saying } from "./saying.js";
import { Story } from "./story.js";
import { Tip } from "./tip.js";
import { waits } from "./veil.js";

const SETTLED = 700; // milliseconds without a change, after which the saved picture is replaced

class Stage {
  /** `host`: the element in the panel's own cell. */
  constructor(model, host) {
    this.model = model;
    this.host = host;
    this.el = make("div", { tabindex: -1 });
    learn(model, host, this.el);
    this.controls = model.get("controls");
    this.shown = {}; // the state on the screen
    this.states = new Map(); // those that the kernel has sent, by settings
    this.playing = null; // the player that walks now
    this.mail = new Mail((message) => this.tell(message));
    this.build();
    this.listen();
    this.show(model.get("shown"), 0);
    this.enlarge(model.get("large"));
    this.room.watch();
    this.settle();
  }

  build() {
    this.question = new QuestionBox(this);
    this.picture = new Picture((svg) => announce(svg, this));
    this.player = make("div", { class: "ks-player" });
    this.story = new Story(this, this.player);
    this.saying = new Saying();
    this.alert = make("div", { class: "ks-alert", role: "alert", hidden: true });
    this.lost = make("p", { class: "ks-lost", hidden: true },
      say("The kernel has stopped: this is the last picture. Run the cell again to bring it back to life."));
    this.table = make("div", { class: "ks-table" });
    this.form = make("div", { class: "ks-controls" });
    this.tip = new Tip(this.el);
    this.menu = new Menu(this);
    this.room = new Room(this, (room) => (this.states.clear(), this.post({ room }, 0)));
    this.exact = make("div", { class: "ks-exact" });
    this.numbers = make("details", { class: "ks-numbers-of", ontoggle: () => this.toDetails() }, make("summary", {}, say("Details")), this.table);
    this.drawer = make("div", { class: "ks-drawer", hidden: true }, this.buttons(), this.exact, this.numbers, this.menu.el);
    this.more = button("⋯", () => this.open(this.drawer.hidden), { class: "ks-more", title: say("More"), "aria-label": say("More"), "aria-expanded": "false" });
    this.rows = this.controls.map((control) => [control, row(control, this)]);
    for (const [{ kind, folded }, { root }] of this.rows) {
      (kind === "steps" ? this.player : folded ? this.exact : this.form).append(root);
      if (kind === "steps") this.story.join(root);
    }
    this.el.classList.add("ks");
    this.host.classList.add("kschedlab");
    this.line = new Line(() => this.shared?.bring(this));
    const words = make("div", { class: "ks-say" }, this.question.el, this.saying.el);
    this.leave = button("✕", () => this.setLarge(false), { class: "ks-leave", title: say("back to the lesson (Escape)"), "aria-label": say("Back to the lesson") });
    this.top = make("div", { class: "ks-top" }, words, this.more, this.leave);
    this.hall = this.question.hall(); // after the answer; until then it is among the answers, and before a class there is "Ask again"
    this.foot = make("div", { class: "ks-foot" }, this.form, this.player, this.hall);
    this.el.append(this.lost, this.top, this.picture.el, this.foot, this.drawer, this.tip.el);
    this.host.append(this.el);
  }

  /** Once its cell is on the page, a panel may share a place with others. */
  settle() {
    this.arrival = new ResizeObserver(() => {
      if (!this.host.isConnected) return;
      this.arrival.disconnect();
      this.cover();
      this.shared = dockOf(this.host);
      this.arrived = true;
      this.shared?.add(this);
    });
    this.arrival.observe(this.host);
  }

  /** In its cell, or with only a line there. */
  dock(docked) {
    this.docked = docked;
    this.beside.hidden = !(this.shared?.fits);
    this.beside.textContent = docked ? say("Put the pictures into the text") : say("Keep the picture in sight");
    if (!docked) this.line.el.remove();
    else if (!this.line.el.isConnected) this.host.replaceChildren(this.line.el); // a line that is there keeps the focus
  }

  /** What one rarely needs; without controls there is nothing to reset or to copy. */
  buttons() {
    const reset = button(say("Start again"), () => (this.question.clear(), this.go({ reset: true }), this.docked && this.open(false)), { title: say("back to where the panel began") });
    this.again = button(say("Ask again"), () => (this.question.clear(), this.go({ again: true }), this.docked && this.open(false)), { title: say("forget the answer to this question") });
    this.classroom = button(say("Classroom"), () => this.setLarge(!this.isLarge), { title: say("enlarge everything; Escape makes it small again") });
    this.beside = button("", () => (this.open(false), (this.shared.wanted = !this.docked)), { hidden: true });
    reset.hidden = this.menu.el.hidden = !this.controls.length;
    return make("div", { class: "ks-bar" }, reset, this.again, this.classroom, this.beside);
  }

  /** Opens or closes what is behind "⋯"; beside the text a click anywhere else closes it. */
  open(on) {
    this.drawer.hidden = !on;
    document.removeEventListener("click", this.aside);
    if (on) document.addEventListener("click", this.aside);
    this.more.setAttribute("aria-expanded", String(on));
    if (on) this.drawer.scrollIntoView({ block: "nearest" });
    this.toDetails();
  }

  /** The picture has another room now. Details that are open are what one wants to read of the drawer. */
  toDetails() {
    this.measure();
    if (this.numbers.open) this.drawer.scrollTop = this.numbers.offsetTop;
  }

  /** Out of what is behind the three dots, else out of the classroom. */
  escape() {
    if (!this.drawer.hidden) {
      this.open(false);
      this.more.focus({ preventScroll: true });
    } else if (this.isLarge) this.setLarge(false);
  }

  /** A control that the picture has, too, with all of its choices, goes to the exact values; before an answer, one that it will have. */
  sort() {
    if (!this.picture.svg) return;
    const drawn = [...this.picture.svg.querySelectorAll("[data-drag], [data-set]")].map(({ dataset }) => dataset);
    const handles = this.shown.handles?.map(([mark, text]) => ({ [mark]: text })) ?? drawn;
    const dragged = new Set(handles.map(({ drag }) => drag)), sets = handles.map(({ set }) => this.read(set));
    for (const [{ name, kind, values }, { root }] of this.rows) {
      const set = new Set(sets.filter((each) => name in each).map((each) => each[name])).size;
      const all = dragged.has(name) || set >= (kind === "choice" ? values.length - 1 : 1);
      if (kind !== "steps" && all && root.parentElement !== this.exact) this.exact.append(root);
    }
  }

  listen() {
    this.hand = new Hand(this);
    new Keyboard(this, (target) => this.hand.click(target));
    this.el.addEventListener("pointermove", (event) => this.point(event.target)); // one that rests opens nothing
    this.el.addEventListener("pointerdown", ({ target, pointerType }) => (pointerType === "mouse" ? this.tip.hush(target) : this.point(target, true)));
    this.el.addEventListener("focusin", ({ target }) => !this.picture.keeps && target.matches(":focus-visible") && this.point(target, true));
    for (const name of ["pointerleave", "focusout"]) this.el.addEventListener(name, () => this.point(null));
    this.el.addEventListener("click", (event) => follow(event));
    this.pressed = (event) => this.press(event);
    this.aside = ({ target }) => {
      const isOwn = !target.isConnected || this.drawer.contains(target) || this.more.contains(target);
      if (!isOwn && this.docked) this.open(false);
    };
    this.el.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.escape();
      if (event.target === this.el && /^\d$/.test(event.key)) event.stopPropagation(); // typed for a field that went: 0 0 restarts a kernel
    });
    this.model.on("change:shown", () => this.answered(this.model.get("shown")));
    this.model.on("change:large", () => this.enlarge(this.model.get("large")));
    this.model.on("msg:custom", (content) => this.told(content));
    this.model.on("comm_live_update", () => this.alive());
  }

  // ------------------------------------------------------------ settings

  /** The settings as text: states are kept by it. */
  key(at) {
    return this.controls.map(({ name }) => at[name]).join();
  }

  /** The last index of a control, which may depend on the others. */
  last(control) {
    return this.shown.last?.[control.name] ?? control.values.length - 1;
  }

  /** What the text of a mark sets. */
  read(text) {
    return read(text, this.controls);
  }

  /** Sets controls (by name: index of the value): at once if this state is known, else when the kernel answers. */
  set(values, duration = MOVE) {
    const at = { ...this.at, ...values };
    if (this.key(at) === this.key(this.at)) return;
    this.story.end();
    this.at = at;
    this.refreshControls();
    this.began = performance.now();
    const known = this.states.get(this.key(at));
    if (known) this.show(known, duration);
    this.post({ set: at }, duration);
  }

  /** Turns a handle's control to this index; `least`: the index at which it ends. */
  turn(name, index, least = 0) {
    const control = this.controls.find((each) => each.name === name);
    this.set({ [name]: clamp(index, least, this.last(control)) }, DRAG);
  }

  /** Asks for every state along one control, so that moving it needs no answer. */
  ahead(name) {
    const of = `${name}|${this.key({ ...this.at, [name]: 0 })}|${this.room.text}`;
    if (this.asked === of) return;
    this.asked = of;
    this.tell({ along: name });
  }

  // ------------------------------------------------------------ the kernel

  post(content, duration) {
    this.mail.post(content, duration);
  }

  /** Goes to other settings; a story of these ends. */
  go(content) {
    this.story.end();
    this.post(content);
  }

  /** A new state. While the hand moves on, only what it has not passed yet is shown. */
  answered(shown) {
    const mine = shown.n === this.mail.sent, moves = this.mail.waiting.has("set");
    if (Boolean(this.shown.asking) !== Boolean(shown.asking)) this.states.clear(), (this.asked = null); // what they show is another matter now
    this.states.set(this.key(shown.at), shown);
    if (!moves || !this.states.has(this.key(this.at))) this.show(shown, this.mail.duration ?? MOVE, !moves);
    if (mine) this.mail.next();
  }

  told({ along = [], story, menu }) {
    for (const each of along) this.states.set(this.key(each.at), each);
    if (story || menu) this.mail.next();
    if (story) this.story.tell(story);
    if (menu) this.menu.show(menu);
  }

  alive() {
    this.lose(this.model.comm_live === false || this.model.widget_manager === undefined);
  }

  /** Tells the kernel. If it has gone, the controls go back to what is shown; false then. */
  tell(message) {
    if (tell(this.model, message)) return true;
    this.lose(true);
    this.pause();
    this.at = { ...this.shown.at };
    this.refreshControls();
    return false;
  }

  /** Whether the kernel has gone. */
  get isLost() {
    return !this.lost.hidden;
  }

  /** Says whether the kernel has gone. */
  lose(dead) {
    this.lost.hidden = !dead;
    this.el.classList.toggle("ks-dead", dead);
    this.shared?.veil();
  }

  // ------------------------------------------------------------ showing

  /** Shows a state. `settle`: the controls follow it. */
  show(shown, duration, settle = true) {
    keepFocus(this.el, () => this.draw(shown, duration, settle));
  }

  draw(shown, duration, settle) {
    const last = this.shown, { moment, covered, asking, state } = last;
    this.shown = shown;
    if (settle || !this.at) this.at = { ...shown.at };
    this.refreshControls();
    if (asking && shown.way?.length && !still()) this.picture.play([...shown.way, shown.picture]);
    else if (!asking && state === shown.state) this.picture.refit(shown.picture, duration);
    else this.picture.draw(shown.picture, duration);
    if (!this.hand.held) this.tip.settle();
    this.judge(shown);
    this.saying.show(shown.sentence, shown.names, this.why);
    if (this.tableText !== shown.table) {
      this.table.replaceChildren(...parsed((this.tableText = shown.table)).childNodes);
      divisible(this.table);
    }
    this.line.show(shown, this.saying.headline);
    this.story.offer(shown);
    this.sort();
    this.place(shown);
    this.el.classList.toggle("ks-asking", Boolean(shown.asking));
    this.el.classList.toggle("ks-covered", Boolean(shown.covered));
    this.question.show();
    this.showError(shown);
    this.measure();
    this.room.fit();
    this.menu.follow(shown.state);
    this.keep(shown);
    if (moment !== undefined && moment !== shown.moment) this.shared?.lives(this);
    if (covered && !shown.covered) this.shared?.follow();
    if (waits(last) !== waits(shown)) this.shared?.veil();
    this.clock(shown);
  }

  /** The reason that a verdict gives, until something else is said: that has a reason of its own. */
  judge({ verdict, sentence }) {
    const judged = JSON.stringify([verdict?.text, verdict?.answer]);
    if (judged !== this.judged) Object.assign(this, { judged, judgedOf: sentence });
    this.why = sentence === this.judgedOf && verdict && !this.question.isSaid(verdict) ? verdict.why : "";
  }

  /** Numbers without a picture are what there is to see; beside one they wait until somebody asks for them. */
  place({ picture, table, asking, verdict, answered }) {
    const alone = Boolean(table) && (!picture || table.includes("<a href")); // a link is something to do
    this.numbers.hidden = alone || !table;
    if (alone) this.form.before(this.table);
    else this.numbers.append(this.table);
    this.again.hidden = !(verdict || answered);
    this.hall.hidden = !(verdict ?? answered)?.polls;
    this.more.hidden = !(this.controls.length || picture || asking || verdict); // text alone
    if (this.more.hidden) this.open(false);
  }

  refreshControls() {
    for (const [{ name }, { update, idle }] of this.rows) {
      update(this.at[name]);
      idle(this.shown.idle?.[name]);
    }
  }

  /** An error stands beside the field that is wrong. */
  showError({ error, asking }) {
    const refused = this.drawer.hidden ? null : this.drawer.querySelector('[aria-invalid="true"]');
    if (error && refused) refused.closest(".ks-control").after(this.alert);
    else if (!this.drawer.hidden && this.menu.el.open) this.menu.body.before(this.alert);
    else if (asking) this.question.el.append(this.alert);
    else this.form.before(this.alert);
    this.alert.hidden = !error;
    this.alert.classList.toggle("ks-typed-wrong", Boolean(asking));
    this.alert.textContent = !error ? "" : asking ? `⚠ ${error}` : say("Error: {error}", { error });
  }

  /** Has the saved picture replaced, once the panel has settled in another state than the saved one. */
  keep({ state, moment, asking, covered, verdict, error }) {
    const now = JSON.stringify([state, moment, asking, covered, verdict, error]);
    this.kept ??= now;
    clearTimeout(this.settling);
    if (now === this.kept) return;
    this.settling = setTimeout(() => {
      this.kept = now;
      this.tell({ still: true });
    }, SETTLED);
  }

  /** Notes how long a change took, for who measures it. */
  clock(shown) {
    const { began } = this;
    if (!began || this.key(shown.at) !== this.key(this.at)) return;
    this.began = 0;
    requestAnimationFrame(() => (this.host.dataset.latency = (performance.now() - began).toFixed(1)));
  }

  /** Somebody points at this element. What is held needs no remark. */
  point(target, now = false) {
    this.tip.point(this.hand.isBusy ? null : target, now);
  }

  pause() {
    this.playing?.stop();
  }

  // ------------------------------------------------------------ size

  get isLarge() {
    return this.el.classList.contains("ks-large");
  }

  /** A class is asked: what was answered before, alone or by another class, is forgotten, unless nobody answers now. */
  setLarge(on) {
    const { verdict, answered, asking } = this.shown, last = verdict ?? answered;
    if (on && last) this.question.clear(), this.go({ again: true });
    if (!on && asking && this.before && !this.question.votes.length) this.post({ answer: this.before.answer });
    this.before = on ? last : null;
    if (on) this.el.focus({ preventScroll: true }); // its keys are hands, and Escape makes it small again
    this.model.set("large", on);
    this.model.save_changes();
    this.enlarge(on);
    if (!this.docked) requestAnimationFrame(() => this.el.scrollIntoView({ block: "start" })); // the page above it may be higher now
  }

  enlarge(on) {
    this.story.close(); // its pictures were drawn for another room
    if (on) this.open(false); // the picture has the room
    this.el.classList.toggle("ks-large", on);
    this.cover();
    this.classroom.setAttribute("aria-pressed", String(on));
    (on ? this.more : this.classroom).before(this.again); // a class is asked without a way through the menu
    this.hears(on);
    this.question.show();
    this.measure();
  }

  /** Large, it covers the whole window, whatever clips what is around the panel: "popover" is a browser's topmost layer. */
  cover() {
    const { el, isLarge } = this;
    if (!isLarge) return el.removeAttribute("popover"); // back to its place
    if (!el.showPopover || !el.isConnected || el.matches(":popover-open")) return;
    el.setAttribute("popover", "manual");
    el.showPopover();
  }

  /** It has come to another place in the page. */
  moved() {
    this.cover();
    this.room.steady(true);
  }

  /** Large, the panel is the whole page: its keys need no focus. */
  hears(on) {
    if (on) document.addEventListener("keydown", this.pressed, true);
    else document.removeEventListener("keydown", this.pressed, true);
  }

  press(event) {
    if (event.key !== "Escape") return this.question.press(event);
    event.stopPropagation();
    this.escape();
  }

  /** After what is said has changed: the picture has the rest. */
  measure() {
    this.room.steady();
    this.room.measure();
  }

  remove() {
    this.pause();
    document.removeEventListener("click", this.aside);
    clearTimeout(this.settling);
    this.hears(false);
    this.arrival?.disconnect();
    this.room.leave();
    this.shared?.remove(this);
  }
}

/** A link does not take the page away: JupyterLab's own link to that file opens it, or else a new tab does. */
function follow(event) {
  const link = event.target.closest("a[href]"), file = link?.getAttribute("href");
  if (!link) return;
  const links = [...document.querySelectorAll(".jp-RenderedHTMLCommon a[href]")];
  const own = links.find((each) => each.pathname.endsWith(`/${file}`) && !each.closest(".ks"));
  if (!own) return void (link.target = "_blank");
  event.preventDefault();
  own.click();
}

export default {
  render({ model, el }) {
    const stage = new Stage(model, el);
    return () => stage.remove();
  },
};
