// What can be carried, and the places that take it or refuse it. Hand and keyboard carry in the same way.

import { say } from "./language.js";
import { still } from "./motion.js";

const SHAKE = 220; // milliseconds

/** The places in a picture for what is carried. */
export const places = (group) => `[data-accepts="${CSS.escape(group)}"]`;

/** Shows whether this place takes what is carried. */
export function offer(stage, target) {
  const why = target.dataset.refuses, look = why ? "ks-no" : "ks-yes";
  target.classList.add(look);
  stage.tip.say(why ? `✕ ${why}` : say("✓ drop here"), target, look);
}

export function withdraw(target) {
  target?.classList.remove("ks-yes", "ks-no");
}

/** Puts it down here: a place that refuses it shakes its head. */
export function put(stage, target) {
  if (target.dataset.refuses) {
    stage.tip.say(`✕ ${target.dataset.refuses}`, target, "ks-no");
    const shake = ["0px", "-4px", "4px", "0px"].map((translate) => ({ translate }));
    target.animate?.(shake, { duration: still() ? 0 : SHAKE });
  } else {
    stage.tip.say("");
    stage.set(stage.read(target.dataset.drop));
  }
}
