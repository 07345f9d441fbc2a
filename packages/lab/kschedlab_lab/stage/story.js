// A story: pictures between question and answer, played, and closed when something else happens.

import { button } from "./dom.js";
import { say } from "./language.js";
import { MOVE } from "./motion.js";
import { Player } from "./player.js";

export class Story {
  /** `el`: where the buttons stand. */
  constructor(stage, el) {
    Object.assign(this, { stage, el, frames: null, bar: null });
    this.button = button(say("Show how"), () => this.ask(), { class: "ks-main ks-how" });
    el.append(this.button);
  }

  /** A panel with steps plays the story of its step: one button plays. */
  join(steps) {
    steps.querySelector(".ks-main").after(this.button);
  }

  /** Offers it, or, grey, says why it can't be told. */
  offer({ story, untold }) {
    this.button.hidden = !story;
    this.button.disabled = Boolean(untold);
    this.button.title = untold || say("play what happens between question and answer");
  }

  ask() {
    this.stage.pause();
    this.stage.post({ story: true });
  }

  /** Whether a frame is shown that is not the last one. */
  get plays() {
    return Boolean(this.frames) && this.at < this.frames.length - 1;
  }

  /** Plays these frames. */
  tell(frames) {
    const { stage } = this;
    this.end();
    this.frames = frames;
    const { foot } = stage, high = foot.offsetHeight;
    stage.el.classList.add("ks-telling");
    const player = new Player(stage, {
      label: say("Story"), sliderLabel: say("Moment of the story"), over: say("Again"),
      where: () => [this.at, frames.length - 1],
      go: (at, duration = MOVE) => {
        this.at = at;
        player.update((now, last) => say("{at} of {last}", { at: now + 1, last: last + 1 }));
        stage.picture.draw(frames[at].picture, duration);
        stage.saying.show(frames[at].caption, at === frames.length - 1 ? stage.shown.names : {}); // colours would tell the end
        stage.room.steady();
      },
    });
    this.bar = player.root;
    this.bar.classList.add("ks-control", "ks-steps", "ks-story");
    this.bar.append(button("✕", () => this.close(), { "aria-label": say("Close the story"), title: say("Close the story") }));
    this.el.append(this.bar);
    stage.el.classList.toggle("ks-crowded", foot.offsetHeight > high); // the picture keeps its room
    foot.style.minHeight = `${high}px`;
    player.go(0);
    player.start();
  }

  close() {
    if (!this.frames) return;
    this.end();
    this.stage.picture.draw(this.stage.shown.picture, MOVE);
  }

  /** Ends it, and leaves its picture to be replaced. */
  end() {
    if (!this.frames) return;
    this.stage.pause();
    this.frames = null;
    this.bar.remove();
    const { sentence, names } = this.stage.shown;
    this.stage.saying.show(sentence, names, this.stage.why);
    this.stage.el.classList.remove("ks-telling", "ks-crowded");
    this.stage.foot.style.minHeight = "";
    this.stage.room.steady();
  }
}
