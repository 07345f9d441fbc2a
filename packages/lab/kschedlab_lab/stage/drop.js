// A guess with the hand: while a question asks for a node, a pod that waits can be dropped on one.

export const FIRM = 4; // pixels: less is a click
const POD = 'g[data-key^="pod/"]', NODE = '[data-key^="node/"][data-pick]';

/** Whether a pod of this picture may be dropped on a node: what a node holds lies under what is picked, so only what waits is in reach. */
export const drops = (picture) => Boolean(picture.querySelector(NODE) && picture.querySelector(POD));

/** The pod that this is a part of, with its name and numbers. */
function whole(part) {
  const pod = part.closest(POD), around = pod?.parentElement.closest(POD);
  return around ? whole(around) : pod;
}

export class Drop {
  /** `asks`: whether a question is open; `pick` hears the answer, and says whether the picture stays as it is. */
  constructor(picture, { asks, pick }) {
    Object.assign(this, { picture, asks, pick, held: null });
    picture.addEventListener("pointerdown", (event) => this.grab(event));
    picture.addEventListener("pointermove", (event) => this.held && this.carry(event));
    picture.addEventListener("pointerup", (event) => this.held && this.release(event));
    picture.addEventListener("pointercancel", () => (this.putBack(), this.letGo()));
  }

  /** The pod under the pointer that may be carried. */
  pod(target) {
    const pod = this.asks() && drops(this.picture) ? whole(target) : null;
    return pod && !pod.closest("[data-pick]") ? pod : null;
  }

  grab(event) {
    const pod = event.button ? null : this.pod(event.target);
    if (!pod) return;
    this.held = { pod, from: [event.clientX, event.clientY], scale: pod.getScreenCTM()?.a || 1, moved: false };
    event.preventDefault();
  }

  carry({ clientX, clientY, pointerId }) {
    const { held } = this, by = [clientX - held.from[0], clientY - held.from[1]];
    if (!held.moved && Math.hypot(...by) < FIRM) return;
    if (!held.moved) this.lift(pointerId);
    held.pod.style.translate = `${by[0] / held.scale}px ${by[1] / held.scale}px`;
    this.over(this.node(clientX, clientY));
  }

  /** The pod goes upon all others, and may leave the picture. */
  lift(pointerId) {
    const { held } = this, { pod } = held;
    this.picture.setPointerCapture(pointerId);
    Object.assign(held, { moved: true, parent: pod.parentNode, next: pod.nextSibling });
    pod.parentNode.append(pod);
    pod.classList.add("ks-carried");
    this.picture.classList.add("ks-carrying");
  }

  node(x, y) {
    return document.elementsFromPoint(x, y).map((each) => each.closest(NODE)).find((each) => each && this.picture.contains(each)) ?? null;
  }

  /** Shows where the pod would land. */
  over(node) {
    if (node === this.target) return;
    this.target?.classList.remove("ks-under");
    node?.classList.add("ks-under");
    this.target = node;
  }

  /** The answer moves the pod on from where it was dropped; without one, it goes back. */
  release({ clientX, clientY }) {
    const node = this.held.moved ? this.node(clientX, clientY) : null;
    if (!node || this.pick(node.dataset.pick)) this.putBack();
    this.letGo();
  }

  putBack() {
    if (!this.held?.moved) return;
    const { pod, parent, next } = this.held;
    parent.insertBefore(pod, next);
    pod.style.translate = "";
    pod.classList.remove("ks-carried");
  }

  letGo() {
    this.picture.classList.remove("ks-carrying");
    this.over(null);
    this.held = null;
  }
}
