// A recorded panel in place of a kernel. It finds the state that the front end asks for among those that were recorded,
// as packages/lab/kschedlab_lab/panels/session.py computes it; it draws nothing and knows nothing about scheduling.

import { parts, read } from "../../../packages/lab/kschedlab_lab/stage/marks.js";
import { Model } from "./model.js";

const LONG = 20; // about as many steps has a story
const HIDDEN = { picture: "", sentence: "", table: "", idle: {}, error: "", story: false };
const FARTHER = 1000; // as a distance: more than all controls together

/** The questions of a page: whether they are open, and who shows what they hide. */
export class Gates {
  constructor() {
    this.all = new Map();
  }

  of(name) {
    if (!this.all.has(name)) this.all.set(name, { open: false, answer: null, at: null, watchers: new Set() });
    return this.all.get(name);
  }

  /** Opens it with this answer to a question about the settings `at`; both are null without an answer. */
  open(name, answer, at) {
    const gate = this.of(name);
    Object.assign(gate, { open: true, answer, at: at ?? gate.at });
    for (const each of gate.watchers) each.refresh();
  }

  /** Asks again. */
  close(name) {
    const gate = this.of(name);
    Object.assign(gate, { open: false, answer: null, at: null });
    for (const each of gate.watchers) each.refresh();
  }
}

/** The states of panels that show the same in the same settings, in whichever recording of the page they stand. */
class World {
  constructor(controls) {
    this.names = controls.map(({ name }) => name);
    this.counted = controls.filter(({ kind, values }) => kind === "steps" && !values.length).map(({ name }) => name);
    Object.assign(this, { states: new Map(), lasts: new Map(), along: {} });
  }

  /** Knows a recording's states from now on. One that was recorded again has its story. */
  add({ states, along }) {
    for (const each of states) {
      const key = each.at.join("|");
      if (!this.states.get(key)?.tale) this.states.set(key, each);
      this.lasts.set(this.still(this.named(each.at)), each.last);
    }
    Object.assign(this.along, along);
  }

  /** Settings by name. */
  named(at) {
    return Object.fromEntries(this.names.map((name, i) => [name, at[i]]));
  }

  key(at) {
    return this.names.map((name) => at[name]).join("|");
  }

  /** The settings without steps that depend on the others. */
  still(at) {
    return this.key({ ...at, ...Object.fromEntries(this.counted.map((name) => [name, 0])) });
  }

  /** What a move leads to: it may take controls along that it does not set itself. */
  moved(from, to) {
    const taken = this.along[this.key(from)] ?? {}, set = this.names.filter((name) => to[name] !== from[name]);
    const more = Object.assign({}, ...set.map((name) => taken[`${name}:${to[name]}`]));
    return { ...to, ...Object.fromEntries(Object.entries(more).filter(([name]) => !set.includes(name))) };
  }

  /** The recorded state with these settings; steps end at the last one. */
  find(at) {
    const last = this.lasts.get(this.still(at)) ?? {};
    const held = Object.fromEntries(this.counted.map((name) => [name, Math.min(at[name], last[name] ?? at[name])]));
    return this.states.get(this.key({ ...at, ...held }));
  }
}

/** The worlds of a page. */
export class Worlds {
  constructor() {
    this.all = new Map();
  }

  add(record) {
    if (!this.all.has(record.world)) this.all.set(record.world, new World(record.controls));
    this.all.get(record.world).add(record);
  }

  of({ world }) {
    return this.all.get(world);
  }
}

export class Recording extends Model {
  /**
   * `world`: the states; `parts`: those of all recordings of the page. Its value `moved`: what else is other than asked
   * for, in words, where only a state near to it was recorded.
   */
  constructor(record, world, parts, gates, words) {
    super({ controls: record.controls, large: false, spoken: words.spoken });
    Object.assign(this, { record, world, parts, gates, words, room: 0 });
    this.first = world.named(record.start);
    this.at = { ...this.first };
    this.found = world.find(this.at);
    for (const [name] of record.covers) gates.of(name).watchers.add(this);
    if (record.asks) gates.of(record.asks.gate).watchers.add(this);
    this.set("shown", this.look());
  }

  // ------------------------------------------------------------ what was recorded

  /** The text of a part. */
  text(number) {
    const part = this.parts[number];
    return typeof part === "string" ? part : part.map((each) => this.text(each)).join("");
  }

  /** The settings as text. */
  written(at) {
    return this.record.controls.map(({ name, values, kind }) =>
      `${name}: ${kind === "typed" ? at[name] : values[at[name]] ?? at[name]}`).join(", ");
  }

  // ------------------------------------------------------------ messages

  receive(message) {
    if ("still" in message) return;
    if ("along" in message) return this.tell("msg:custom", { along: [] });
    if ("story" in message) return this.tell("msg:custom", { story: this.story() });
    if ("menu" in message) return this.tell("msg:custom", { menu: this.menu() });
    this.error = "";
    this.way = [];
    this.obey(message);
    this.refresh(message);
  }

  /** Shows the current state, as the reply to a message. */
  refresh({ n, answer } = {}) {
    const way = answer === undefined ? {} : { way: this.way.map((each) => this.text(each)) };
    this.change("shown", { ...this.look(), ...way, n });
  }

  obey({ set, state, reset, room, answer, uncover, again }) {
    const asking = this.asking();
    this.asked = this.at;
    if (set && !asking) this.at = this.world.moved(this.at, set);
    else if (state !== undefined && !asking) this.restore(state);
    else if (reset) this.at = { ...this.first };
    else if (room) this.room = this.fitting(room);
    else if (answer !== undefined) this.answer(answer);
    else if (uncover) this.gates.open(this.covered()[0], null, null);
    else if (again) this.askAgain();
  }

  /** The place of the first recorded room that is no wider and no higher than this; else of the lowest that is no wider. */
  fitting([width, height]) {
    const { rooms } = this.record;
    const fit = [...rooms.keys()].filter((place) => rooms[place][0] <= width);
    const low = (one, other) => rooms[one][1] - rooms[other][1];
    return fit.find((place) => rooms[place][1] <= height) ?? fit.sort(low)[0] ?? rooms.length - 1;
  }

  restore(text) {
    const { controls } = this.record, written = parts(text).filter((each) => each.trim());
    const wrong = written.find((part) => !Object.keys(read(part, controls)).length);
    if (wrong === undefined) this.at = { ...this.at, ...read(text, controls) };
    else this.error = this.refused(wrong);
  }

  /** Why a part of a written state is none: no control has its name, or its control hasn't this value. */
  refused(part) {
    const { controls } = this.record, [name, ...value] = part.split(":").map((each) => each.trim());
    const control = controls.find((each) => each.name === name);
    if (!control) return `"${name}" ${this.words.noSetting} ${controls.map((each) => each.name).join(", ")}`;
    const there = control.values.length ? control.values.join(", ") : this.words.aNumber;
    return `${name}: "${value.join(":")}" ${this.words.notOneOf} ${there}`;
  }

  answer(answer) {
    const { asked, gate, shows, way } = this.record.asks, given = answer === null ? null : this.checked(answer, asked);
    const allowed = asked.choices.length ? `${this.words.notOneOf} ${asked.choices.join(", ")}` : `${this.words.isNot} ${asked.numbers}`;
    if (given === undefined) this.error = answer || asked.choices.length ? `"${answer}" ${allowed}` : this.words.noNumber;
    else {
      const { at } = this;
      this.at = { ...at, ...shows };
      this.way = way?.[this.room] ?? []; // the pictures that lead to the answer
      this.gates.open(gate, given, at);
    }
  }

  /** Forgets the answer; the question is open again as it was asked. */
  askAgain() {
    const { gate } = this.record.asks, { at } = this.gates.of(gate);
    this.at = { ...(at ?? this.at) };
    this.gates.close(gate);
  }

  /** The answer as it is recorded; undefined if the question does not allow it. */
  checked(answer, { choices, most }) {
    if (choices.length) return choices.includes(answer) ? answer : undefined;
    const value = /^[+-]?\d[\d,]*$/.test(answer.trim()) ? BigInt(answer.replace(/[,+\s]/g, "")) : NaN;
    return value >= 0 && value <= (most ?? Infinity) ? String(value) : undefined;
  }

  story() {
    return this.found.tale[this.room].map(([picture, caption]) => ({ picture: this.text(picture), caption }));
  }

  menu() {
    const state = this.written(this.at);
    const yaml = this.world.find(this.at) ? this.found.yaml.map((each) => this.text(each)).join("---\n") : "";
    return { state, link: this.line(), yaml };
  }

  /** The line of code that shows this state. */
  line() {
    return `${this.record.link}${JSON.stringify(this.written(this.at))})`;
  }

  // ------------------------------------------------------------ what was not recorded

  /** The recorded settings nearest to those that are asked for: what was set now counts most, and something moves. */
  near() {
    const { controls } = this.record, was = this.asked ?? this.first, before = this.world.key(this.world.named(this.found.at));
    const distance = ({ name, kind, values }, value) => {
      if (value === this.at[name]) return 0;
      const far = ["slider", "steps"].includes(kind) ? Math.abs(value - this.at[name]) / (values.length || LONG) : 0;
      return far + (this.at[name] === was[name] ? 1 : controls.length);
    };
    const sum = (at) => controls.reduce((total, control) => total + distance(control, at[control.name]), 0) + (this.world.key(at) === before ? FARTHER : 0);
    const ranked = [...this.world.states.values()].map((each) => this.world.named(each.at)).map((at) => [sum(at), at]);
    return ranked.reduce((best, each) => (each[0] < best[0] ? each : best))[1];
  }

  /** In what these settings differ from those that are asked for, in words. */
  apart(at) {
    const { controls } = this.record, differing = controls.filter(({ name }) => at[name] !== this.at[name]);
    return differing.map(({ name, label, kind, shown }) => `${label}: ${kind === "typed" ? at[name] : shown[at[name]] ?? at[name]}`).join(" · ");
  }

  /** The state to show; where it was not recorded, the nearest. */
  find() {
    let found = this.world.find(this.at), moved = this.at === this.asked ? this.get("moved") ?? "" : ""; // a new room moves nothing
    if (!found) {
      const near = this.near();
      moved = this.apart(near);
      found = this.world.find(near);
    }
    this.change("moved", moved);
    return found;
  }

  // ------------------------------------------------------------ what there is to see

  covered() {
    return this.record.covers.find(([name]) => !this.gates.of(name).open);
  }

  asking() {
    const { asks } = this.record;
    return Boolean(asks) && !this.gates.of(asks.gate).open;
  }

  look() {
    const { asks } = this.record, covered = this.covered(), asking = this.asking();
    if (!covered && !asking) this.found = this.find();
    const { last = {}, pictures, sentence, names = {}, table, idle = {}, error = "", story = false, tale, state } = this.found;
    this.at = this.world.named(this.found.at);
    const shown = { at: { ...this.at }, last, state };
    if (covered) return { ...shown, ...HIDDEN, covered: covered[1], own: asks?.asked.text ?? "" };
    const { before, asked, handles, idle: away } = asks ?? {};
    if (asking) return { ...shown, ...HIDDEN, picture: this.text(before[this.room]), asking: asked, handles, idle: away, error: this.error };
    const judged = this.judged(), verdict = judged && this.isAsked() ? judged : null, answered = verdict ? null : judged;
    const said = { sentence, names, table: this.text(table), error: this.error || error, verdict, answered };
    return { ...shown, ...said, picture: this.text(pictures[this.room]), idle, story, untold: tale ? "" : this.words.untold };
  }

  /** Whether these are the settings that were asked about. */
  isAsked() {
    const { gate, fixed, shows } = this.record.asks, asked = { ...this.gates.of(gate).at, ...shows };
    return fixed.every((name) => asked[name] === this.at[name]);
  }

  /** What is said of the answer. */
  judged() {
    const { asks } = this.record;
    if (!asks) return null;
    const { answer, at } = this.gates.of(asks.gate);
    if (!at) return null;
    const unknown = answer !== null && !(answer in asks.answers);
    const said = asks.said[asks.answers[unknown || answer === null ? "" : answer]];
    const [right, mark, why] = said;
    const { asked: { text, choices }, solution, moment } = asks;
    return { text, choices, answer, right, solution, mark: unknown ? this.words.wrong : mark, why, ...(moment ? { moment } : {}) };
  }
}
