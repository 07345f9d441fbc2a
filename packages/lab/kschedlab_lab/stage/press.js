// A click counts for what was pressed, also where the picture is drawn anew before the button is let go: the browser
// makes no click of such a press.

const STEADY = 4; // pixels; who moves farther has changed their mind

const marks = ({ dataset: { pick, set, key } }) => JSON.stringify([pick, set, key]);

/** Calls `act` with the part of `root` that has taken the place of the one that was pressed; `marked` selects parts. */
export function surviving(root, marked, act) {
  root.addEventListener("pointerdown", ({ target, pointerType, button, pointerId, clientX, clientY }) => {
    const pressed = target.closest(marked);
    if (!pressed || button || pointerType !== "mouse") return; // a finger's tap asks where it was when it ends
    const release = (event) => {
      if (event.pointerId !== pointerId) return;
      document.removeEventListener("pointerup", release, true);
      if (pressed.isConnected || Math.hypot(event.clientX - clientX, event.clientY - clientY) > STEADY) return;
      const now = [...root.querySelectorAll(marked)].find((each) => marks(each) === marks(pressed));
      if (now) act(now);
    };
    document.addEventListener("pointerup", release, true);
  });
}
