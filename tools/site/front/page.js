// A page of the course: brings its panels and exercises to life when they come into view, from what was recorded. A
// recording arrives as a script of its own, because a page that is opened from a file may not fetch one.

import { make } from "../../../kschedlab/lab/stage/dom.js";
import { Exercise } from "./exercise.js";
import { Progress } from "./progress.js";
import { Gates, Recording } from "./recording.js";

const NEAR = "600px", KEPT = "kschedlab-theme";
const gates = new Gates(), progress = new Progress(), expected = new Map(), arriving = new Map(), parts = [];

/** What a recording's script calls. */
window.kschedlab.arrived = (name, text) => expected.get(name)(text);

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

/** A recording; the parts of a panel's are known from then on. */
async function arrived(name) {
  const record = await loaded(name);
  record.parts?.forEach((part, place) => (parts[record.first + place] = part));
  return record;
}

/** A recording, once those above it are there: panels share parts, and each part stands in the first that has it. */
async function recorded(slot) {
  const stages = [...document.querySelectorAll("[data-kind=stage]")];
  const needed = slot.dataset.kind === "stage" ? stages.slice(0, stages.indexOf(slot) + 1) : [slot];
  const names = needed.map(({ dataset }) => dataset.record);
  for (const name of names) if (!arriving.has(name)) arriving.set(name, arrived(name));
  return (await Promise.all(names.map((name) => arriving.get(name)))).at(-1);
}

/** Puts the live panel or exercise in the place of its saved picture. */
async function enliven(slot, words) {
  const { kind } = slot.dataset, record = await recorded(slot);
  if (kind === "progress") progress.show(slot, record, words);
  else play(slot, record, words);
  slot.dataset.alive = "true";
}

function play(slot, record, words) {
  const { record: name, kind } = slot.dataset, el = make("div", {});
  const line = make("code", {}), missing = make("p", { class: "missing", role: "status", hidden: true });
  missing.append(...linked(words.elsewhere, words), " ", line);
  const seen = (not, code) => {
    el.classList.toggle("unrecorded", not);
    missing.hidden = !not;
    line.textContent = code;
  };
  const model = kind === "stage" ? new Recording(record, parts, gates, words, seen) : new Exercise(record, words);
  if (kind === "card") progress.count(name, model);
  slot.replaceChildren(el, missing);
  window.kschedlab[kind].render({ model, el });
}

/** A sentence whose part in brackets is the link to Binder. */
function linked(text, { binder }) {
  const [before, link, after] = text.split(/[[\]]/);
  return [before, make("a", { href: binder }, link), after];
}

/** Light, dark, or as the system is. */
function themes() {
  const root = document.documentElement, button = document.querySelector("#theme");
  const kept = () => {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null; // a page from a file may have no storage
    }
  };
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  if (kept()) root.dataset.theme = kept();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem(KEPT, root.dataset.theme);
    } catch { /* then for this page alone */ }
  });
}

function begin() {
  const words = JSON.parse(document.body.dataset.words);
  themes();
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
