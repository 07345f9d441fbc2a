// The picture without a mouse: arrows move a handle, or go to the next button; Enter clicks.

const WAYS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
const ASIDE = 3; // so many pixels ahead are as far as one to the side
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
    } else if (key in WAYS && target.matches("[data-set], [data-pick]")) {
      this.walk(event);
    }
  }

  /** From a button to the nearest one that is ahead. */
  walk(event) {
    const { target } = event, [across, down] = WAYS[event.key], others = [];
    const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2], [x0, y0] = middle(target.getBoundingClientRect());
    for (const each of this.picture.querySelectorAll("[data-set][tabindex], [data-pick][tabindex]")) {
      const [x, y] = middle(each.getBoundingClientRect()), ahead = (x - x0) * across + (y - y0) * down;
      const aside = Math.abs((x - x0) * down) + Math.abs((y - y0) * across);
      if (ahead > 1) others.push({ each, far: ahead + ASIDE * aside });
    }
    if (!others.length) return;
    event.preventDefault();
    event.stopPropagation();
    others.sort((one, other) => one.far - other.far)[0].each.focus();
  }

  pull(event) {
    const { stage } = this, { drag: name, least } = event.target.dataset, by = BY[event.key];
    if (by === undefined || stage.shown.asking) return;
    event.preventDefault();
    event.stopPropagation();
    stage.tip.hush(event.target);
    stage.ahead(name);
    stage.turn(name, stage.at[name] + by, Number(least ?? 0));
  }
}
