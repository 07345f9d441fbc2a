// The table of a lesson's progress: it counts what is tried on this page, now and before.

import { UNTRIED } from "./exercise.js";
import { kept } from "../../../packages/lab/kschedlab_lab/stage/kept.js";

export class Progress {
  constructor() {
    this.models = new Map();
    this.refresh = () => {};
  }

  /** An exercise of the page. */
  count(name, model) {
    this.models.set(name, model);
    model.on("change:face", () => this.refresh());
  }

  /** Fills the saved table in, now and after each answer; what only Python judges says so. */
  show(slot, { exercises, states, solved }, words) {
    const rows = [...slot.querySelectorAll("tr")].slice(1), sentence = slot.querySelector("p");
    this.refresh = () => {
      const tried = exercises.map((name) => this.models.get(name) ?? kept(name) ?? UNTRIED);
      tried.forEach(({ state, tries, hints }, i) => {
        const [mark, said] = states[state], cells = [mark, null, exercises[i] ? said : words.python, tries, hints];
        cells.forEach((text, place) => text !== null && (rows[i].cells[place].textContent = text));
      });
      sentence.textContent = solved[tried.filter(({ state }) => state === "RIGHT").length];
    };
    this.refresh();
  }
}
