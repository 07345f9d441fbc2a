// What a panel says: the answer as a headline, in which names have the colour of what becomes of them, and why.

import { make, unbroken } from "./dom.js";

const FIRST = /^(.+?[.!?](?=\s)|.+?[。！？](?=.))\s*(.*)$/s; // the first sentence, and the rest
const REASON = 60; // letters, from which on a verdict gives a reason; a Chinese one counts twice
const WORDY = 110; // letters, from which on a headline is set smaller
const WORD = 240, CHARACTER = 130, LEAST = 1500, GLANCE = 500; // milliseconds of reading: 250 words a minute

/** How long one reads this text, in milliseconds. */
export function readingTime(text) {
  const characters = text.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  const words = text.replace(/[\u4e00-\u9fff]/g, " ").split(/\s+/).filter(Boolean).length;
  return Math.max(LEAST, words * WORD + characters * CHARACTER);
}

/** How long one reads what this text says anew after another: other numbers are seen at a glance, names with one are read. */
export function readingOn(text, last) {
  const known = new Set(last.split(/\s+/)), fresh = text.split(/\s+/).filter((word) => !known.has(word));
  const others = fresh.filter((word) => !/\d/.test(word)), names = fresh.filter((word) => /[a-z].*\d/i.test(word));
  return others.length ? readingTime(others.join(" ")) : GLANCE + names.length * WORD;
}

const doubled = (text) => text.replace(/[^\x00-\xff]/g, "--");

/** The text as a regular expression that finds it. */
export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The text in parts for an element, with the names in it marked: `names` says how, by name. */
function marked(text, names) {
  const known = Object.keys(names).sort((one, other) => other.length - one.length);
  if (!known.length) return unbroken(text);
  const parts = text.split(new RegExp(`(?<![\\w-])(${known.map(escaped).join("|")})(?![\\w-])`));
  return parts.flatMap((part, i) => (i % 2 ? [make("b", { class: `ks-${names[part]}` }, part)] : unbroken(part)));
}

export class Saying {
  constructor() {
    this.headline = make("span", { class: "ks-headline" });
    this.because = make("span", { class: "ks-because" });
    this.el = make("p", { class: "ks-sentence", role: "status" }, this.headline, " ", this.because);
  }

  /** The reason that a verdict gives below takes the place of this one. */
  show(text, names = {}, verdict = "") {
    const key = JSON.stringify([text, names, verdict]);
    if (key === this.key) return;
    this.key = key;
    const [, first = text, given = ""] = FIRST.exec(text) ?? [], isSaid = doubled(verdict).length > REASON || verdict.includes(given);
    const rest = isSaid ? "" : given;
    this.headline.replaceChildren(...marked(first, names));
    this.because.replaceChildren(...marked(rest, names));
    this.el.classList.toggle("ks-wordy", first.length > WORDY);
    this.el.classList.toggle("ks-nothing", !text);
  }
}
