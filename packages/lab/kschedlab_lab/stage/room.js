// How much room the picture has, for Python to lay it out.

const TEXT = 13; // pixels of normal text; drawings are in these units (views/svg.py)
const ROUND = 20; // units: not every pixel is worth a new picture
const NARROWEST = 310, LOWEST = 240; // units
const AROUND = 260; // pixels of a window that the picture does not get
const ABOVE = 120; // pixels of a stage above the text that it does not get
const LEAST_UNIT = 1.08; // pixels: in less, small text would have less than 12
const SMALLER = 0.8, SLACK = 8; // a step down in size; pixels that a picture may be too high

export class Room {
  /** `changed` is told about a new room: width and height in units of normal text. */
  constructor(stage, changed) {
    Object.assign(this, { stage, changed, text: "" });
    this.observer = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.measure());
    });
  }

  watch() {
    this.observer.observe(this.stage.picture.el);
  }

  /** A class sees the question above the picture, too. Where that is too much, the picture gets wider, so that it is lower. */
  measure() {
    const { el, picture, question, story, isLarge } = this.stage, width = picture.el.offsetWidth; // a bar to scroll it is no change
    if (!width || story.frames) return;
    const unit = parseFloat(getComputedStyle(el).fontSize) / TEXT, asked = isLarge ? question.el.offsetHeight : 0;
    el.style.setProperty("--ks-above", `${asked}px`);
    const space = this.space() - asked, window = [width, space, unit].join();
    if (window !== this.window) Object.assign(this, { window, unit, high: space });
    el.style.setProperty("--ks-high", `${space}px`);
    this.send(width);
  }

  /** How high a picture may be. Beside the text it gets what is left there, and stays as high when a sentence is shorter than the last. */
  space() {
    const { el, picture, isLarge } = this.stage;
    const beside = isLarge ? null : el.closest(".ks-beside > .ks-dock"), low = el.closest(".ks-above > .ks-dock:not(.ks-tall)");
    if (!beside) return low ? low.clientHeight - ABOVE : innerHeight - AROUND;
    const others = [beside, ...el.children, this.stage.question.el].filter((each) => each !== picture.el && !each.matches(".ks-top"));
    const around = [beside.clientWidth, ...others.map((each) => each.offsetHeight)].join();
    if (around !== this.around) Object.assign(this, { around, left: Infinity });
    return (this.left = Math.min(this.left, picture.el.clientHeight));
  }

  send(width) {
    const units = (pixels, least) => Math.max(Math.floor(pixels / this.unit / ROUND) * ROUND, least);
    const room = [units(width, NARROWEST), units(this.high, LOWEST)];
    if (room.join() === this.text) return;
    this.text = room.join();
    this.changed(room);
  }

  /** A large picture that is still too high is laid out again with smaller text, in more units. */
  fit() {
    const { picture, isLarge } = this.stage, high = picture.svg?.viewBox.baseVal.height * this.unit;
    if (!isLarge || !(high > this.high + SLACK) || this.unit <= LEAST_UNIT) return;
    this.unit = Math.max(this.unit * SMALLER, LEAST_UNIT);
    this.send(picture.el.offsetWidth);
  }

  leave() {
    this.observer.disconnect();
  }
}
