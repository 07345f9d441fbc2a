// The menu with the state, the code and the manifests to copy; a state typed there is restored.

import { button, make, onEnter } from "./dom.js";
import { say } from "./language.js";

const field = (name, ...parts) => make("div", { class: "ks-field" }, make("span", {}, name), ...parts);

function copied(name, text, rows) {
  const area = make("textarea", { readonly: true, rows, "aria-label": name, spellcheck: "false" });
  area.value = text;
  return field(name, area, button(say("Copy"), () => (area.select(), navigator.clipboard?.writeText(text).catch(() => {}))));
}

export class Menu {
  constructor(stage) {
    this.stage = stage;
    this.state = make("input", { type: "text", "aria-label": say("State"), spellcheck: "false" });
    this.state.addEventListener("change", () => this.restore());
    onEnter(this.state, () => this.restore());
    this.body = make("div", {});
    this.el = make("details", { class: "ks-menu" }, make("summary", {}, say("State, code")), this.body);
    this.el.addEventListener("toggle", () => this.el.open && this.ask());
  }

  ask() {
    this.stage.post({ menu: true });
  }

  /** Follows the panel: the state in its field, unless somebody types there, and what can be copied. */
  follow(state) {
    if (document.activeElement !== this.state) this.state.value = state;
    if (this.el.open && this.given !== state) this.ask();
  }

  show({ link, yaml, state }) {
    this.given = state;
    this.applied = "";
    this.state.value = state;
    const fields = [field(say("State"), this.state), copied("Python", link, 2), ...(yaml ? [copied("YAML", yaml, 12)] : [])];
    this.body.replaceChildren(...fields);
  }

  /** Applies the text in the field, once; JupyterLab keeps Enter from being a change. */
  restore() {
    if ([this.given, this.applied].includes(this.state.value)) return;
    this.applied = this.state.value;
    this.stage.go({ state: this.state.value });
  }
}
