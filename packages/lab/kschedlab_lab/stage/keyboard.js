// The picture without a mouse: arrows move a handle; Enter clicks, or takes what can be carried. Tab then goes to its
// places, Enter puts it down, Escape lets go.

import { offer, places, put, withdraw } from "./carrying.js";
import { asButton } from "./marks.js";

const BY = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 2, PageDown: -2, Home: -Infinity, End: Infinity };

export class Keyboard {
  /** `click`: what a click on an element does. */
  constructor(stage, click) {
    Object.assign(this, { stage, click, picture: stage.picture.el });
    this.carrying = null; // what kind of thing is carried
    this.picture.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const { key, target } = event, presses = key === "Enter" || key === " ";
    if (key === "Escape" && this.carrying) {
      event.stopPropagation(); // it lets go only; the panel stays large
      this.letGo();
    }
    const accepts = this.carrying && presses && target.closest("[data-accepts]");
    if (accepts) {
      event.preventDefault();
      put(this.stage, accepts);
      this.letGo();
    } else if (target.dataset.drag) {
      this.pull(event);
    } else if (presses && target.closest("[data-set], [data-pick], [data-carry]")) {
      event.preventDefault();
      event.stopPropagation();
      const carried = target.closest("[data-carry]");
      if (carried && !this.stage.shown.asking) this.take(carried);
      else this.click(target);
    }
  }

  pull(event) {
    const { stage } = this, { drag: name } = event.target.dataset, by = BY[event.key];
    if (by === undefined || stage.shown.asking) return;
    event.preventDefault();
    event.stopPropagation();
    stage.ahead(name);
    stage.turn(name, stage.at[name] + by);
  }

  take(element) {
    this.carrying = element.dataset.carry;
    const targets = [...this.picture.querySelectorAll(places(this.carrying))];
    for (const each of targets) {
      asButton(each);
      each.addEventListener("focus", () => offer(this.stage, each));
      each.addEventListener("blur", () => withdraw(each));
    }
    targets[0]?.focus({ preventScroll: true });
  }

  letGo() {
    if (!this.carrying) return;
    this.carrying = null;
    this.stage.tip.say("");
    this.picture.querySelectorAll("[data-accepts]").forEach(withdraw);
  }
}
