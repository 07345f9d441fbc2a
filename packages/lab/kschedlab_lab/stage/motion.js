// From one picture to the next: what has a key slides from its old place to its new one, what is gone fades out, and then
// what is new fades in.

export const MOVE = 420; // milliseconds of a motion
export const DRAG = 140; // of one that follows the hand
const OUT = 0.4; // of a motion, in which fades out what is gone
const STAGGER = 120; // milliseconds between those that start one after the other
const EASING = "cubic-bezier(.3,0,.2,1)";
const NEAR = 0.5; // shorter ways are not animated; in units of the picture

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Where a keyed element is, on the screen; what a rect looks like. */
function place(element) {
  const { tagName } = element;
  const matrix = element.getScreenCTM();
  const box = element.getBoundingClientRect();
  const at = tagName === "g" && element.hasAttribute("transform") && matrix ? [matrix.e, matrix.f] : [box.x, box.y];
  const look = {};
  if (tagName === "rect") {
    for (const name of ["x", "y", "width", "height"]) look[name] = `${element.getAttribute(name) ?? 0}px`;
    look.fill = element.getAttribute("fill") ?? "";
  }
  return { at, look };
}

const keyed = (root) => [...root.querySelectorAll("[data-key]")];

const above = (element) => element.parentElement?.closest("[data-key]");

/** Where everything is in this picture (by key), and copies of what the next one, made of these nodes, does not have. */
export function leaving(svg, fresh) {
  const stay = new Set(fresh.flatMap((each) => (each.querySelectorAll ? keyed(each) : [])).map((each) => each.dataset.key));
  for (const animation of svg.getAnimations?.({ subtree: true }) ?? []) animation.pause();
  const before = new Map(), gone = [];
  for (const element of keyed(svg)) {
    const { key } = element.dataset, parent = above(element), matrix = element.getScreenCTM();
    before.set(key, place(element));
    const goesWithParent = parent && !stay.has(parent.dataset.key);
    if (!stay.has(key) && !goesWithParent && matrix) gone.push({ element: element.cloneNode(true), matrix });
  }
  return { before, gone };
}

/** Animates the change from the picture that `leaving` has seen to this one. */
export function morph(svg, { before, gone }, duration) {
  const scale = svg.getScreenCTM()?.a || 1;
  const shift = new Map(); // by element: how far it starts from its place, in the picture's units
  const now = new Map(keyed(svg).map((element) => [element, place(element)])); // before any starts to move: that carries others along
  for (const element of now.keys()) {
    const { key, from } = element.dataset, order = element.closest("[data-order]")?.dataset.order; // what is in a pod leaves with it
    const parent = above(element), carried = (parent && shift.get(parent)) ?? [0, 0];
    const delay = Number(order ?? 0) * STAGGER * (duration / MOVE);
    const timing = { duration, easing: EASING, fill: "backwards", delay };
    const old = before.get(key) ?? before.get(from);
    shift.set(element, carried);
    if (!old) {
      if (!parent || before.has(parent.dataset.key)) element.animate([{ opacity: 0 }, { opacity: 1 }], entering(timing, gone));
    } else if (element.tagName === "rect" && before.has(key)) {
      const { look } = now.get(element);
      if (JSON.stringify(old.look) !== JSON.stringify(look)) element.animate([old.look, look], timing);
    } else {
      const { at } = now.get(element), by = [0, 1].map((i) => (old.at[i] - at[i]) / scale - carried[i]);
      shift.set(element, [by[0] + carried[0], by[1] + carried[1]]);
      if (Math.hypot(...by) > NEAR) element.animate([{ translate: `${by[0]}px ${by[1]}px` }, { translate: "0px 0px" }], timing);
    }
  }
  for (const { element, matrix } of gone) fadeOut(svg, element, matrix, duration);
}

/** What is new does not lie over what is going. */
const entering = ({ duration, delay, ...timing }, gone) => {
  const after = gone.length ? OUT * duration : 0;
  return { ...timing, duration: duration - after, delay: delay + after };
};

/** What is no longer there fades out where it was; it is not a handle any more. */
function fadeOut(svg, element, matrix, duration) {
  for (const each of [element, ...element.querySelectorAll("*")]) {
    for (const name of [...each.attributes].map((one) => one.name)) {
      if (name.startsWith("data-") || name === "tabindex" || name === "role") each.removeAttribute(name);
    }
  }
  const root = svg.getScreenCTM()?.inverse();
  if (!root) return;
  const { a, b, c, d, e, f } = root.multiply(matrix);
  const layer = document.createElementNS(svg.namespaceURI, "g");
  element.removeAttribute("transform");
  layer.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
  layer.setAttribute("class", "ks-leaving");
  layer.append(element);
  svg.firstElementChild.append(layer);
  layer.setAttribute("aria-hidden", "true");
  const fading = layer.animate([{ opacity: 1 }, { opacity: 0 }], { duration: duration * OUT, easing: "ease-out" });
  fading.onfinish = fading.oncancel = () => layer.remove();
}
