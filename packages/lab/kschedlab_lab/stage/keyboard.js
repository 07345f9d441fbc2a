// The picture without a mouse: arrows move a handle; Enter clicks.

const BY = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 2, PageDown: -2, Home: -Infinity, End: Infinity };

export class Keyboard {
  /** `click`: what a click on an element does. */
  constructor(stage, click) {
    Object.assign(this, { stage, click, picture: stage.picture.el });
    this.picture.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const { key, target } = event, presses = key === "Enter" || key === " ";
    if (target.dataset.drag) {
      this.pull(event);
    } else if (presses && target.closest("[data-set], [data-pick]")) {
      event.preventDefault();
      event.stopPropagation();
      this.click(target);
    }
  }

  pull(event) {
    const { stage } = this, { drag: name, least } = event.target.dataset, by = BY[event.key];
    if (by === undefined || stage.shown.asking) return;
    event.preventDefault();
    event.stopPropagation();
    stage.ahead(name);
    stage.turn(name, stage.at[name] + by, Number(least ?? 0));
  }
}
