// How much room the picture has, for Python to lay it out.

const TEXT = 13; // pixels of normal text; drawings are in these units (views/svg.py)
const ROUND = 20; // units: not every pixel is worth a new picture
const NARROWEST = 320, LOWEST = 240; // units
const AROUND = 260; // pixels of a window that the picture does not get

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

  /** A class sees the question above the picture, too. */
  measure() {
    const { el, picture, question, isLarge } = this.stage, width = picture.el.clientWidth;
    if (!width) return;
    const unit = parseFloat(getComputedStyle(el).fontSize) / TEXT, asked = isLarge ? question.el.offsetHeight : 0;
    const units = (pixels, least) => Math.max(Math.floor(pixels / unit / ROUND) * ROUND, least);
    el.style.setProperty("--ks-above", `${asked}px`);
    const room = [units(width, NARROWEST), units(innerHeight - AROUND - asked, LOWEST)];
    if (room.join() === this.text) return;
    this.text = room.join();
    this.changed(room);
  }

  leave() {
    this.observer.disconnect();
  }
}
