// A page of the course: brings its panels and exercises to life when they come into view, from what was recorded. A
// recording arrives as a script of its own, because a page that is opened from a file may not fetch one.

import card from "../../../packages/lab/kschedlab_lab/exercises/card.js";
import { button, divideCode, make } from "../../../packages/lab/kschedlab_lab/stage/dom.js";
import { Exercise } from "./exercise.js";
import { keep } from "../../../packages/lab/kschedlab_lab/stage/kept.js";
import { Progress } from "./progress.js";
import { Gates, Recording, Worlds } from "./recording.js";
import stage from "../../../packages/lab/kschedlab_lab/stage/stage.js";

const NEAR = "600px", THEME = "theme";
const gates = new Gates(), progress = new Progress(), worlds = new Worlds(), parts = [];
const expected = new Map(), arriving = new Map();

/** What a recording's script calls. */
window.kschedlab = { arrived: (name, text) => expected.get(name)(text) };

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function loaded(name) {
  return new Promise((done, failed) => {
    expected.set(name, (text) => done(unpacked(text)));
    const script = make("script", { src: `data/${name}.js` });
    script.addEventListener("error", () => failed(new Error(`data/${name}.js is missing`)));
    document.head.append(script);
  });
}

/** A recording, once the one before it is known; a panel's parts and states are known from then on. */
async function arrived(name, before) {
  const record = await loaded(name);
  await before;
  record.parts?.forEach((part, place) => (parts[record.first + place] = part));
  if (record.world) worlds.add(record);
  return record;
}

/** A recording, once those above it are there: panels share parts, and each part stands in the first that has it. */
function recorded(slot) {
  const above = slot.dataset.kind === "stage" ? stages().slice(0, stages().indexOf(slot)) : [];
  let last;
  for (const { dataset: { record: name } } of [...above, slot]) {
    if (!arriving.has(name)) arriving.set(name, arrived(name, last));
    last = arriving.get(name);
  }
  return last;
}

const stages = () => [...document.querySelectorAll("[data-kind=stage]")];

/** Puts the live panel or exercise in the place of its saved picture. */
async function enliven(slot, words) {
  const { kind } = slot.dataset, record = await recorded(slot);
  if (kind === "progress") progress.show(slot, record, words);
  else play(slot, record, words);
  slot.dataset.alive = "true";
}

function play(slot, record, words) {
  const { record: name, kind } = slot.dataset, el = make("div", {});
  const model = kind === "stage" ? new Recording(record, worlds.of(record), parts, gates, words) : new Exercise(name, record, words);
  if (kind === "card") progress.count(name, model);
  slot.replaceChildren(el);
  (kind === "stage" ? stage : card).render({ model, el });
  if (kind === "stage") absence(el.querySelector(".ks"), model, words);
}

/** Says in a stage what moved along, where a page does not hold every combination. */
function absence(el, model, words) {
  const change = make("span", {}), said = make("p", { class: "missing", role: "status", hidden: true }, change, " ", ...linked(words.elsewhere, words));
  let rest; // recordings further down may have more
  model.on("change:moved", () => {
    const moved = model.get("moved");
    said.hidden = !moved;
    change.textContent = words.nearest.replace("{changes}", moved);
    if (moved) rest ??= recorded(stages().at(-1));
  });
  el.querySelector(".ks-picture").after(said);
}

/** A sentence whose part in brackets is the link to Binder. */
function linked(text, { binder }) {
  const [before, link, after] = text.split(/[[\]]/);
  return [before, make("a", { href: binder }, link), after];
}

/** Light, dark, or as the system is; the page's head has set what was kept. */
function themes() {
  const root = document.documentElement, button = document.querySelector("#theme");
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    keep(THEME, root.dataset.theme);
  });
}

function begin() {
  const words = JSON.parse(document.body.dataset.words);
  themes();
  divideCode(document);
  const contents = document.querySelector(".toc");
  contents.addEventListener("click", ({ target }) => target.closest("a") && (contents.open = false));
  if (!window.DecompressionStream) return; // the saved pictures stay
  const observer = new IntersectionObserver((seen) => {
    for (const { target } of seen.filter((each) => each.isIntersecting)) {
      observer.unobserve(target);
      enliven(target, words).catch((error) => console.error(error));
    }
  }, { rootMargin: NEAR });
  for (const slot of document.querySelectorAll("[data-record]")) observer.observe(slot);
}

begin();
