// Elements and what all front ends do with them.

export const OWN = "data-lm-suppress-shortcuts"; // on what has the focus: its keys are the panel's, not JupyterLab's

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export const parsed = (markup) => new DOMParser().parseFromString(markup, "text/html").body;

const BREAKS = /(?<=[a-z])(?=[A-Z])|(?<=[\]/.])(?=[^\s/.\d])/;

const NAMES = /(▶ [\d.,]+|(?<!\S)--?[a-z][\w-]*|[\w./]+(?:-[\w./]+)+|^[\u4e00-\u9fff]{2,6}$|\d[\d.,]* (?:%|s(?!\w)|min(?!\w)|CPU)|-?\d+ \+ (?:\d+·)?2³¹|^v?[+-]?\d[\d.,]*$)/;

/** The text in parts for an element: a short name such as node-b never breaks at its hyphen, a Chinese word, a number, a sum or 95 % nowhere. */
export const unbroken = (text, longest = 24) =>
  text.split(NAMES).map((part, i) => (i % 2 && part.length <= longest ? make("span", { class: "ks-name" }, part) : part));

/** The parts of a text with a word of `long` letters, between which it may break; a name that stays whole is an element already. */
const divided = (part, long) => typeof part === "string" && long.test(part)
  ? part.split(BREAKS).flatMap((word, i) => (i ? [document.createElement("wbr"), word] : [word]))
  : [part];

const CELL = /\S{15}/, LINE = /[^\s\u3000-\u9fff\uff00-\uffef]{25}/; // a word that is long in a table, and in a line of text

/** Lets `long` names, in a table, break as the words in them do: before a capital, after a dot, a slash or a bracket. A drawing's stay. */
export function divisible(root, long = CELL) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts.filter(({ data, parentElement }) => !parentElement.closest("svg, .ks-name") && (NAMES.test(data) || long.test(data)))) {
    text.replaceWith(...unbroken(text.data, 16).flatMap((part) => divided(part, long)).filter((part) => part !== ""));
  }
}

/** Lets the names in these sentences of a markup break so, too. */
export const sayWhole = (root) => root.querySelectorAll("p, [role=status]").forEach((each) => divisible(each));

const LONG = 32; // characters of code that may begin in one line and go on in the next

/** Lets code in a text break so, too, and nowhere else; what is short stays in one line. */
export function divideCode(root) {
  for (const code of root.querySelectorAll(":is(p, li, td, summary) > code:not(.ks-divided)")) {
    divisible(code);
    code.classList.add("ks-divided");
    code.classList.toggle("ks-long", code.textContent.length > LONG || code.matches("td > code"));
  }
}

/** Lets very long names in a text break so, in code and outside it. */
export function divideText(root) {
  divideCode(root);
  for (const each of root.querySelectorAll("p, li")) divisible(each, LINE);
}

const CODE = /`([^`\s](?:[^`\n]*[^`\s])?)`/;

/** The text in parts for an element: what stands between backquotes is code, and short names never break. */
export const coded = (text) => text.split(CODE).flatMap((part, i) => (i % 2 ? make("code", {}, part) : unbroken(part)));

/** A name that nothing else on the page has. */
export const unique = () => `ks${Math.random().toString(36).slice(2)}`;

/** Sets attributes; true stands for one without a value, null and false for none. */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
}

/** An element with attributes, listeners (`onclick`) and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (["button", "input", "select", "summary", "textarea"].includes(tag)) element.setAttribute(OWN, "true");
  const given = Object.entries(attributes), listens = ([name]) => name.startsWith("on");
  for (const [name, act] of given.filter(listens)) element.addEventListener(name.slice(2), act);
  setAttributes(element, Object.fromEntries(given.filter((each) => !listens(each))));
  element.append(...children.filter((child) => child != null));
  return element;
}

export const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, ...coded(text));

/** Changes what is in `root`. If what had the focus goes, `frame` has it: no key of a notebook works at the page's body. */
export function keepFocus(root, change, frame = root) {
  const inside = root.contains(document.activeElement);
  change();
  const now = document.activeElement;
  if (inside && !(root.contains(now) && now.checkVisibility())) frame?.focus({ preventScroll: true });
}

/** Enter in a line of text; JupyterLab does not see it. */
export function onEnter(input, act) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    event.preventDefault(); // in a field of several lines
    act();
  });
}

/** Tells the kernel; false if there is none: JupyterLab says nothing when a kernel is shut down, but refuses to send. */
export function tell(model, message, buffers = []) {
  try {
    model.send(message, undefined, buffers);
    return true;
  } catch {
    return false;
  }
}

/** Ctrl+S saves the notebook, also while a panel has the focus: for this one key its shortcuts are JupyterLab's again. */
function letSave(event) {
  const own = event.target.closest?.(`[${OWN}]`);
  if (!own || event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  own.removeAttribute(OWN);
  setTimeout(() => own.setAttribute(OWN, "true"));
}

// Once for a page: each widget brings this file, and only the window hears a key before JupyterLab does.
if (!window.kschedlabSaves) window.addEventListener("keydown", (window.kschedlabSaves = letSave), true);
