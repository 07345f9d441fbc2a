// What Python marks in a picture: the text of a mark, and how a marked element is reached by keyboard and announced.

import { OWN, setAttributes } from "./dom.js";

const NEXT = /,(?=\s*(?:\w+\s*:|,|$))/; // the comma before the next setting; a typed text may have others
const FOCUSABLE = { tabindex: 0, [OWN]: "true" };

/** The parts of `allowed: 2, generation: v1.37`. */
export const parts = (text) => (text ?? "").split(NEXT);

/** `allowed: 2, generation: v1.37` as indices of values, by the name of their control. */
export function read(text, controls) {
  const values = {};
  for (const part of parts(text)) {
    const [name, ...written] = part.split(":");
    const control = controls.find((each) => each.name === name.trim());
    if (!control) continue;
    const words = written.join(":").trim();
    if (control.kind === "typed") {
      values[control.name] = words;
      continue;
    }
    const counted = control.kind === "steps" && !control.values.length;
    const index = counted ? Number(words) : control.values.indexOf(words);
    if (index >= 0) values[control.name] = index;
  }
  return values;
}

/** An element that Enter presses. */
function asButton(element) {
  setAttributes(element, { ...FOCUSABLE, role: "button" });
}

/** Makes what is marked focusable: what drags is a slider, the rest are buttons, while a question is open its answers. */
export function announce(svg, stage) {
  const handles = [...sliders(svg, stage), ...buttons(svg, stage.shown.asking)];
  if (handles.length) svg.setAttribute("role", "group");
  const { verdict } = stage.shown;
  if (verdict && !(verdict.moment && stage.story.plays)) guessed(svg, verdict.answer);
}

const AROUND = 5; // units between a node and the mark around it

/** Marks the node or pod that the reader has answered, with a line around it: the mark stays while one plays the story, unless
 *  that goes to other moments than the one that was asked about. */
function guessed(svg, answer) {
  const keys = [`node/${answer}/box`, `pod/${answer}/box`];
  const box = [...svg.querySelectorAll("rect[data-key]")].find(({ dataset: { key } }) => keys.includes(key));
  if (!box) return;
  const [x, y, width, height, rx] = ["x", "y", "width", "height", "rx"].map((name) => Number(box.getAttribute(name) ?? 0));
  const mark = document.createElementNS(svg.namespaceURI, "rect"), node = box.parentElement;
  setAttributes(mark, {
    class: "ks-guess", transform: node.getAttribute("transform") ?? "", rx: rx + AROUND,
    x: x - AROUND, y: y - AROUND, width: width + 2 * AROUND, height: height + 2 * AROUND,
  });
  node.parentElement.append(mark); // upon the pods
}

function sliders(svg, stage) {
  const found = [];
  for (const element of svg.querySelectorAll("[data-drag]")) {
    const control = stage.controls.find((each) => each.name === element.dataset.drag);
    if (!control) continue;
    const at = stage.shown.at[control.name], { shown } = control, numeric = shown.length && !shown.some(isNaN);
    const number = (index) => (numeric ? shown[index] : index);
    setAttributes(element, {
      ...FOCUSABLE, role: "slider",
      "aria-label": element.getAttribute("aria-label") ?? control.label,
      "aria-valuemin": number(0), "aria-valuemax": number(stage.last(control)), "aria-valuenow": number(at),
      "aria-valuetext": control.shown[at] ?? String(at),
      "aria-orientation": element.dataset.axis === "x" ? "horizontal" : "vertical",
    });
    found.push(element);
  }
  return found;
}

function buttons(svg, asking) {
  const marked = [...svg.querySelectorAll(asking ? "[data-pick]" : "[data-set]")];
  const found = marked.filter((each) => !each.hasAttribute("role"));
  for (const element of found) {
    const { pick, tip, set } = element.dataset;
    asButton(element);
    if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", asking ? pick : tip ?? set);
  }
  return found;
}
