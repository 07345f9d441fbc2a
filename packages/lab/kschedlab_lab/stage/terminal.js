// A button that opens terminals below the notebook. Where JupyterLab doesn't show its commands to pages, it says how to do that by hand.

import { make } from "./dom.js";
import { learn, say } from "./language.js";

const LESS = 0.4; // of half the height: the picture needs more than a terminal

/** Opens a terminal below this notebook, or beside the last one. */
async function open({ commands, shell }, el, last) {
  const beside = last && !last.isDisposed, terminal = await commands.execute("terminal:create-new");
  const place = beside ? { mode: "split-right", ref: last.id } : { mode: "split-bottom", ref: el.closest(".jp-NotebookPanel")?.id };
  shell.add(terminal, "main", place);
  if (!beside) requestAnimationFrame(() => lower(terminal));
  return terminal;
}

/** Moves the border above this terminal down. */
function lower({ node, parent: { layout } }) {
  const above = [...layout.handles()].filter((each) => each.offsetWidth > each.offsetHeight && each.offsetTop < node.offsetTop);
  const border = above.sort((one, other) => one.offsetTop - other.offsetTop).at(-1);
  if (border) layout.moveHandle(border, border.offsetLeft, border.offsetTop + LESS * node.offsetHeight);
}

export default {
  render({ model, el }) {
    learn(model, el);
    const app = window.jupyterapp; // LabApp.expose_app_in_browser
    if (!app) return el.append(say("File > New > Terminal opens one: right-click its tab, choose Split Tab > Down, then drag the border down."));
    let last = null;
    const press = async () => (last = await open(app, el, last));
    el.append(make("button", { type: "button", class: "jupyter-button", onclick: press }, say("Open a terminal below")));
  },
};
