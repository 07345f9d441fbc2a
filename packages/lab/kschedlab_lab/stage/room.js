// How much room the picture has, for Python to lay it out.

const TEXT = 13; // pixels of normal text; drawings are in these units (views/svg.py)
const ROUND = 20; // units: not every pixel is worth a new picture
const NARROWEST = 310, LOWEST = 240; // units
const AROUND = 260; // pixels of a window that a picture in its cell does not get
const LOW = 400; // pixels of a stage beside the text, below which the picture is whole, but its text smaller: a terminal is below it
const EDGES = 44, PLAYER = 34; // pixels of a classroom: its margins, and the row of controls that comes with a story
const ABOVE = 120; // pixels of a stage above the text that it does not get
const LEAST_UNIT = 1.12; // pixels: in less, small text would have less than 12
const WRAPPED = "ks-wrapped"; // class of a panel beside the text that ends below its picture
const SMALLER = 0.8, SLACK = 8; // the longest step down in size; pixels that a picture may be too high

export class Room {
  /** `changed` is told about a new room: width and height in units of normal text. */
  constructor(stage, changed) {
    Object.assign(this, { stage, changed, text: "", tall: 0, told: 0 });
    this.observer = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.measure());
    });
  }

  watch() {
    this.observer.observe(this.stage.picture.el);
    this.stage.picture.el.addEventListener("scroll", () => this.shade(), { passive: true });
  }

  measure() {
    const { el, picture, story } = this.stage, width = picture.el.offsetWidth; // a bar to scroll it is no change
    el.classList.toggle("ks-low", this.isBeside && el.parentElement.clientHeight < LOW);
    if (!width || story.frames || !this.stage.arrived) return; // before, it is not where it will be
    el.classList.remove(WRAPPED); // the picture has all that is left
    const unit = parseFloat(getComputedStyle(el).fontSize) / TEXT, space = this.space(), window = [width, space, unit].join();
    if (window !== this.window) Object.assign(this, { window, unit, high: space, tall: 0 });
    el.style.setProperty("--ks-high", `${space}px`);
    this.wrap();
    this.send(width);
    this.shade();
  }

  /** Beside the text the panel ends below its picture, or where its highest one so far did: what is below stays under the hand. */
  wrap() {
    const { el, picture } = this.stage, space = picture.el;
    el.classList.remove(WRAPPED);
    if (!this.isBeside || !picture.svg || el.classList.contains("ks-low")) return;
    this.tall = Math.max(this.tall, Math.ceil(picture.svg.getBoundingClientRect().height));
    el.style.setProperty("--ks-tall", `${Math.min(this.tall, space.clientHeight)}px`);
    el.classList.add(WRAPPED);
  }

  /** How high a picture may be: beside the text and before a class, what is left there. */
  space() {
    const { el, top, foot, picture, isLarge } = this.stage, low = el.closest(".ks-above > .ks-dock:not(.ks-tall)");
    if (isLarge) return el.clientHeight - EDGES - top.offsetHeight - Math.max(foot.offsetHeight, PLAYER);
    if (this.isBeside) return picture.el.clientHeight + this.excess;
    return low ? low.clientHeight - ABOVE : innerHeight - AROUND;
  }

  get isBeside() {
    return !this.stage.isLarge && Boolean(this.stage.el.closest(".ks-beside > .ks-dock"));
  }

  /** What is said keeps the height that it has taken so far, so the picture stays under the hand, until a question comes or
   * goes; `again`: from now on. */
  steady(again = false) {
    const { top, el, shown, hand, isLarge } = this.stage;
    const about = [el.clientWidth, Boolean(shown?.asking)].join();
    const moves = about !== this.about && !hand?.held; // the space of a verdict that has gone stays under the hand
    const renews = again || moves;
    if (renews) Object.assign(this, { about, told: 0 });
    if (again) this.tall = 0;
    if (this.isBeside) return this.tell();
    if (renews || !isLarge) top.style.minHeight = "";
    if (isLarge) top.style.minHeight = `${top.offsetHeight}px`;
  }

  /** Beside the text, the picture's size leaves room for some lines (--ks-said). More are set smaller where the picture
   * would be cut. */
  tell() {
    const { el, top, picture } = this.stage, wrapped = el.classList.contains(WRAPPED);
    top.style.minHeight = "";
    el.classList.remove(WRAPPED, "ks-tight");
    el.classList.toggle("ks-tight", this.excess > 0 && this.tall > picture.el.clientHeight);
    this.told = Math.max(this.told, top.firstElementChild.offsetHeight);
    el.style.setProperty("--ks-told", `${this.told}px`);
    el.classList.toggle(WRAPPED, wrapped);
  }

  /** How much higher what is said is than the room for it, while the panel does not end below its picture. */
  get excess() {
    const { top } = this.stage;
    return Math.max(0, top.offsetHeight - (parseFloat(getComputedStyle(top).minHeight) || top.offsetHeight) - 1);
  }

  /** A picture that goes on below the place for it fades there. */
  shade() {
    const { el } = this.stage.picture;
    el.classList.toggle("ks-cut", el.scrollHeight - el.clientHeight - el.scrollTop > SLACK);
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
    this.shade();
    const { picture, isLarge } = this.stage, high = picture.svg?.viewBox.baseVal.height * this.unit;
    if (!isLarge || !(high > this.high + SLACK) || this.unit <= LEAST_UNIT) return;
    this.unit = Math.max(this.unit * Math.max(SMALLER, this.high / high), LEAST_UNIT);
    this.send(picture.el.offsetWidth);
  }

  /** What it will have on the stage, before it has been there: its picture is ready then. */
  foresee({ text }) {
    if (this.text || !text) return;
    this.text = text;
    this.changed(text.split(",").map(Number));
  }

  leave() {
    this.observer.disconnect();
  }
}
