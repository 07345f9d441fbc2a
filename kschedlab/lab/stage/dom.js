// What all front ends share; stage/front_end.py puts it before each of them.

const OWN = "data-lm-suppress-shortcuts"; // on what has the focus: its keys are the panel's, not JupyterLab's

/** An element with attributes, listeners (`onclick`) and children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (["button", "input", "select", "summary", "textarea"].includes(tag)) element.setAttribute(OWN, "true");
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
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
