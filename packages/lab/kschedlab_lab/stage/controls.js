// The controls beside the picture. Each kind is a function that gives its row: `root`, and `update` to show an index.
// `values` are what a state says; `shown` are the same in the language of the page.

import { make, onEnter, unique } from "./dom.js";
import { say } from "./language.js";
import { DRAG, MOVE } from "./motion.js";
import { Player } from "./player.js";

const FEW = 5, SHORT = 34; // as many choices, with as many letters, stand side by side; more are in a menu
const FAST = 0.65; // of the time to read: how long a clock that is played rests at a second
const LINE = 60; // letters, from which on a text is too long for one line
const LONG = 17; // what has more letters needs more than a column; a Chinese one counts twice

const isLong = (text) => text.replace(/[^\x00-\xff]/g, "--").length > LONG;

const labelled = (control, ...parts) => make("label", {}, make("span", { class: "ks-label" }, control.label), ...parts);

function slider(control, stage) {
  const input = make("input", { type: "range", min: 0, max: control.values.length - 1, step: 1, "aria-label": control.label });
  const output = make("span", { class: "ks-value", "aria-hidden": "true" });
  input.addEventListener("input", () => stage.set({ [control.name]: Number(input.value) }, DRAG));
  for (const cause of ["pointerdown", "focus"]) input.addEventListener(cause, () => stage.ahead(control.name));
  const update = (at) => {
    input.value = at;
    output.textContent = control.shown[at];
    input.setAttribute("aria-valuetext", control.shown[at]);
  };
  return { root: labelled(control, input, output), update };
}

function checkbox(control, stage) {
  const input = make("input", { type: "checkbox", "aria-label": control.label });
  input.addEventListener("change", () => stage.set({ [control.name]: Number(input.checked) }));
  const root = make("label", {}, input, make("span", { class: "ks-label" }, control.label));
  return { root, update: (at) => (input.checked = at === 1) };
}

function choice(control, stage) {
  const few = control.shown.length <= FEW && control.shown.join("   ").length <= SHORT;
  return few ? radios(control, stage) : menu(control, stage);
}

function menu(control, stage) {
  const options = control.shown.map((text, i) => make("option", { value: i }, text));
  const select = make("select", { "aria-label": control.label }, ...options);
  select.addEventListener("change", () => stage.set({ [control.name]: Number(select.value) }));
  const root = labelled(control, select);
  root.classList.toggle("ks-long", control.shown.some(isLong));
  return { root, update: (at) => (select.value = at) };
}

function radios(control, stage) {
  const name = unique();
  const inputs = control.values.map((_, value) =>
    make("input", { type: "radio", name, value, onchange: () => stage.set({ [control.name]: value }) }));
  const options = inputs.map((input, i) => make("label", {}, input, make("span", {}, control.shown[i])));
  const box = make("span", { class: "ks-options", role: "radiogroup", "aria-label": control.label }, ...options);
  const root = make("div", {}, make("span", { class: "ks-label" }, control.label), box);
  return { root, update: (at) => (inputs[at].checked = true) };
}

/**
 * Text, of which the kernel knows what it means; in a field of some lines if it is long. A text that it refuses stays, to be
 * corrected, and so does one that somebody is still typing: a field that grows brings new states.
 */
function typed(control, stage) {
  const id = unique();
  let sent = null, written = "";
  const about = { "aria-label": control.label, autocomplete: "off", spellcheck: "false" };
  const wraps = control.values.some(({ length }) => length > LINE);
  const input = wraps ? make("textarea", { rows: 3, ...about }) : make("input", { type: "text", list: id, ...about });
  const take = () => stage.set({ [control.name]: (sent = input.value.trim()) });
  input.addEventListener("change", take);
  onEnter(input, take);
  if (!wraps) input.addEventListener("focus", () => input.select()); // in lines one corrects a part
  const list = wraps ? "" : make("datalist", { id }, ...control.values.map((text) => make("option", { value: text })));
  const root = labelled(control, input, list);
  root.classList.toggle("ks-long", wraps || control.values.some(isLong));
  const update = (at) => {
    const refused = Boolean(stage.shown.error) && sent !== null && sent !== at;
    input.setAttribute("aria-invalid", String(refused));
    const isTyping = document.activeElement === input && ![written, sent].includes(input.value.trim());
    if (refused || isTyping) return;
    input.value = written = at;
  };
  return { root, update };
}

function steps(control, stage) {
  const { name, label, shown } = control;
  const named = (at) => (shown[at] ?? String(at)) !== String(at), isClock = named(0); // its values have words of their own
  const player = new Player(stage, {
    label,
    where: () => [stage.at[name], stage.last(control)],
    go: (at, duration = isClock ? DRAG : MOVE) => stage.set({ [name]: at }, duration), // a hand of a clock is there when its time is read
    ready: () => stage.ahead(name),
    brief: true,
    pace: isClock ? FAST : 1,
  });
  player.root.prepend(make("span", { class: "ks-label" }, label));
  const words = (at, last) => (named(at) ? shown[at] : say("{at} of {last}", { at: at + 1, last: last + 1 }));
  return { root: player.root, update: () => player.update(words) };
}

const KINDS = { slider, steps, switch: checkbox, choice, typed };

/** The row of a control, with a place for the reason why it does not matter now. */
export function row(control, stage) {
  const { root, update } = KINDS[control.kind](control, stage);
  const reason = make("small", { class: "ks-why" });
  root.classList.add("ks-control", `ks-${control.kind}`);
  root.append(reason);
  const idle = (why) => {
    root.hidden = why === "";
    root.classList.toggle("ks-idle", Boolean(why));
    if (reason.textContent !== (why ?? "")) reason.textContent = why ?? "";
  };
  return { root, update, idle };
}
