// The front end of every panel: it shows the SVG that Python draws, moves what has a key from its old place to its new
// one, and turns marked elements into handles. It computes nothing about scheduling. CONTRIBUTING.md lists the marks.

const TEXT = 13; // pixels of normal text; drawings are in these units (views/svg.py)
const MOVE = 420, DRAG = 140, STAGGER = 120, SETTLED = 700; // milliseconds
const SPEEDS = { "½×": 2600, "1×": 1300, "2×": 650, "4×": 325 };

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

const parsed = (markup) => new DOMParser().parseFromString(markup, "text/html").body;

// ---------------------------------------------------------------- motion

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
  return { at, look, matrix };
}

function keyed(svg) {
  return new Map([...svg.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, each]));
}

const above = (element) => element.parentElement?.closest("[data-key]");

/** Animates the change from the `before` (places by key) of one picture to the elements of the next. */
function morph(svg, before, gone, duration) {
  const scale = svg.getScreenCTM()?.a || 1;
  const shift = new Map(); // by element: how far it starts from its place, in the picture's units
  for (const [key, element] of keyed(svg)) {
    const old = before.get(key) ?? before.get(element.dataset.from);
    const timing = {
      duration, easing: "cubic-bezier(.3,0,.2,1)", fill: "backwards",
      delay: Number(element.dataset.order ?? 0) * STAGGER * (duration / MOVE),
    };
    const parent = above(element);
    const carried = (parent && shift.get(parent)) ?? [0, 0];
    if (!old) {
      shift.set(element, carried);
      if (!parent || before.has(parent.dataset.key)) element.animate([{ opacity: 0 }, { opacity: 1 }], timing);
      continue;
    }
    const now = place(element);
    if (element.tagName === "rect" && before.has(key)) {
      shift.set(element, carried);
      if (JSON.stringify(old.look) !== JSON.stringify(now.look)) element.animate([old.look, now.look], timing);
      continue;
    }
    const by = [0, 1].map((i) => (old.at[i] - now.at[i]) / scale - carried[i]);
    shift.set(element, [by[0] + carried[0], by[1] + carried[1]]);
    if (Math.hypot(...by) > 0.5) {
      element.animate([{ translate: `${by[0]}px ${by[1]}px` }, { translate: "0px 0px" }], timing);
    }
  }
  leave(svg, gone, duration);
}

/** What is no longer there fades out where it was. */
function leave(svg, gone, duration) {
  const root = svg.getScreenCTM()?.inverse();
  if (!root) return;
  for (const { element, matrix } of gone) {
    const { a, b, c, d, e, f } = root.multiply(matrix);
    const layer = document.createElementNS(svg.namespaceURI, "g");
    element.removeAttribute("transform");
    for (const each of [element, ...element.querySelectorAll("*")]) {
      for (const name of [...each.attributes].map((one) => one.name)) {
        if (name.startsWith("data-") || name === "tabindex" || name === "role") each.removeAttribute(name);
      }
    }
    layer.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
    layer.setAttribute("class", "ks-leaving");
    layer.setAttribute("aria-hidden", "true");
    layer.append(element);
    svg.firstElementChild.append(layer);
    const fading = layer.animate([{ opacity: 1 }, { opacity: 0 }], { duration: duration * 0.7, easing: "ease-out" });
    fading.onfinish = fading.oncancel = () => layer.remove();
  }
}

// ---------------------------------------------------------------- the stage

class Stage {
  constructor(model, el) {
    this.model = model;
    this.controls = model.get("controls");
    this.cache = new Map(); // states that the kernel has sent, by settings
    this.id = Math.random().toString(36).slice(2); // a panel can be shown in several places
    this.count = 0; // messages sent
    this.sent = ""; // the message that is on its way, or was the last
    this.busy = false; // whether one is on its way
    this.waiting = new Map(); // what to send after it, by kind
    this.rows = new Map(); // the row of each control
    this.hands = []; // a poll's answers, one for each hand
    this.build(el);
    this.listen();
    this.shown = {};
    this.show(model.get("shown"), 0);
    this.large(model.get("large"));
    this.watch();
  }

  build(el) {
    this.el = el;
    el.classList.add("kschedlab", "ks");
    this.question = make("div", { class: "ks-question" });
    this.picture = make("div", { class: "ks-picture" });
    this.player = make("div", { class: "ks-player" });
    this.sentence = make("p", { class: "ks-sentence", role: "status" });
    this.alert = make("div", { class: "ks-alert", role: "alert", hidden: true });
    this.lost = make("p", { class: "ks-lost", hidden: true },
      "The kernel has stopped: this is the last picture. Run the cell again to bring it back to life.");
    this.table = make("div", { class: "ks-table" });
    this.form = make("div", { class: "ks-controls" });
    this.tip = make("div", { class: "ks-tip", role: "tooltip", hidden: true });
    this.bar = this.buildBar();
    this.buildControls();
    el.append(this.lost, this.question, this.picture, this.player, this.sentence, this.alert, this.form, this.bar, this.table, this.tip);
  }

  buildBar() {
    const button = (text, title, act) => make("button", { type: "button", title, onclick: act }, text);
    this.largeButton = button("Classroom", "enlarge everything", () => this.setLarge(!this.el.classList.contains("ks-large")));
    this.storyButton = button("▶ Show how", "play what happens between question and answer", () => this.playStory());
    this.state = make("input", { type: "text", "aria-label": "State", spellcheck: "false" });
    this.state.addEventListener("change", () => this.restore());
    this.state.addEventListener("keydown", (event) => event.key === "Enter" && (event.stopPropagation(), this.restore()));
    this.menu = make("details", { class: "ks-menu" }, make("summary", {}, "State, link"));
    this.menuBody = make("div", {});
    this.menu.append(this.menuBody);
    this.menu.addEventListener("toggle", () => this.menu.open && this.post({ menu: true }));
    const reset = button("Reset", "back to where the panel began", () => this.post({ reset: true }));
    reset.hidden = this.menu.hidden = !this.controls.length;
    this.player.append(this.storyButton);
    return make("div", { class: "ks-bar" }, reset, this.largeButton, this.menu);
  }

  // ------------------------------------------------------------ controls

  buildControls() {
    for (const control of this.controls) {
      const row = { slider: this.range, steps: this.steps, switch: this.checkbox, choice: this.choice, typed: this.typed }[control.kind].call(this, control);
      row.root.classList.add("ks-control", `ks-${control.kind}`);
      row.root.append(row.why = make("small", { class: "ks-why" }));
      this.rows.set(control.name, row);
      (control.kind === "steps" ? this.player : this.form).append(row.root);
    }
  }

  range(control) {
    const input = make("input", { type: "range", min: 0, max: control.values.length - 1, step: 1, "aria-label": control.label });
    const output = make("span", { class: "ks-value", "aria-hidden": "true" });
    input.addEventListener("input", () => this.set({ [control.name]: Number(input.value) }, DRAG));
    input.addEventListener("pointerdown", () => this.ahead(control.name));
    input.addEventListener("focus", () => this.ahead(control.name));
    const root = make("label", {}, make("span", { class: "ks-label" }, control.label), input, output);
    const update = (at) => {
      input.value = at;
      output.textContent = control.values[at];
      input.setAttribute("aria-valuetext", control.values[at]);
    };
    return { root, update };
  }

  checkbox(control) {
    const input = make("input", { type: "checkbox", "aria-label": control.label });
    input.addEventListener("change", () => this.set({ [control.name]: Number(input.checked) }));
    return {
      root: make("label", {}, input, make("span", { class: "ks-label" }, control.label)),
      update: (at) => (input.checked = at === 1),
    };
  }

  choice(control) {
    const short = control.values.length <= 5 && control.values.join("   ").length <= 34;
    if (!short) {
      const select = make("select", { "aria-label": control.label }, ...control.values.map((text, i) => make("option", { value: i }, text)));
      select.addEventListener("change", () => this.set({ [control.name]: Number(select.value) }));
      return { root: make("label", {}, make("span", { class: "ks-label" }, control.label), select), update: (at) => (select.value = at) };
    }
    const group = `ks${Math.random().toString(36).slice(2)}`;
    const inputs = control.values.map((_, i) =>
      make("input", { type: "radio", name: group, value: i, onchange: () => this.set({ [control.name]: i }) }));
    const options = inputs.map((input, i) => make("label", {}, input, make("span", {}, control.values[i])));
    const box = make("span", { class: "ks-options", role: "radiogroup", "aria-label": control.label }, ...options);
    return { root: make("div", {}, make("span", { class: "ks-label" }, control.label), box), update: (at) => (inputs[at].checked = true) };
  }

  /** A line of text, of which the kernel knows what it means. */
  typed(control) {
    const id = `ks${Math.random().toString(36).slice(2)}`;
    const input = make("input", { type: "text", list: id, "aria-label": control.label, autocomplete: "off", spellcheck: "false" });
    input.addEventListener("change", () => this.set({ [control.name]: input.value.trim() }));
    input.addEventListener("keydown", (event) => event.key === "Enter" && (event.stopPropagation(), this.set({ [control.name]: input.value.trim() })));
    input.addEventListener("focus", () => input.select());
    const list = make("datalist", { id }, ...control.values.map((text) => make("option", { value: text })));
    const root = make("label", {}, make("span", { class: "ks-label" }, control.label), input, list);
    return { root, update: (at) => (input.value = at) };
  }

  steps(control) {
    const go = (at, duration) => this.set({ [control.name]: at }, duration);
    const row = this.buildPlayer(control.label, control.label, () => [this.at[control.name], this.last(control)], go, () => this.ahead(control.name));
    row.root.prepend(make("span", { class: "ks-label" }, control.label));
    const words = (at, last) => ((control.values[at] ?? String(at)) === String(at) ? `${at} of ${last}` : control.values[at]);
    return { root: row.root, update: () => row.update(words) };
  }

  /**
   * First, Back, Play, Next, a slider and the speed. `place` gives where it is and the last place, `go` moves, `ready` is
   * told that it will. Play walks to the last place; from there it begins again.
   */
  buildPlayer(label, sliderLabel, place, go, ready = () => {}) {
    const button = (text, name, act) => make("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
    const step = (by) => () => (this.pause(), go(clamp(place()[0] + by, 0, place()[1])));
    const input = make("input", { type: "range", min: 0, step: 1, "aria-label": sliderLabel });
    input.addEventListener("input", () => (this.pause(), go(Number(input.value), DRAG)));
    for (const cause of ["pointerdown", "focus"]) input.addEventListener(cause, ready);
    const output = make("span", { class: "ks-value", "aria-hidden": "true" });
    const speed = make("select", { "aria-label": "Speed", title: "speed" });
    for (const [name, wait] of Object.entries(SPEEDS)) speed.append(make("option", { value: wait, selected: name === "1×" }, name));
    const first = button("|◂", "First", step(-1e9)), back = button("◂", "Back", step(-1)), next = button("▸", "Next", step(1));
    const play = button("▶", "Play", () => (this.timer ? this.pause() : start()));
    const walk = () => {
      const [at, last] = place();
      if (at >= last) return this.pause();
      go(at + 1);
      this.timer = setTimeout(walk, Number(speed.value));
    };
    const start = () => {
      this.playing = play;
      play.textContent = "❚❚";
      play.setAttribute("aria-label", "Pause");
      ready();
      if (place()[0] >= place()[1]) go(0);
      this.timer = setTimeout(walk, Number(speed.value) / 2);
    };
    const update = (words) => {
      const [at, last] = place();
      input.max = last;
      input.value = at;
      output.textContent = words(at, last);
      first.disabled = back.disabled = at === 0;
      next.disabled = at >= last;
    };
    const root = make("div", { role: "group", "aria-label": label }, first, back, play, next, input, output, speed);
    return { root, update, start };
  }

  last(control) {
    return this.shown.last?.[control.name] ?? control.values.length - 1;
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.playing?.replaceChildren("▶");
    this.playing?.setAttribute("aria-label", "Play");
    this.playing = null;
  }

  // ------------------------------------------------------------ settings

  key(at) {
    return this.controls.map(({ name }) => at[name]).join();
  }

  /** Sets controls (by name: index of the value): at once if this state is known, else when the kernel answers. */
  set(values, duration = MOVE) {
    const at = { ...this.at, ...values };
    if (this.key(at) === this.key(this.at)) return;
    this.endStory();
    this.at = at;
    this.refreshControls();
    this.began = performance.now();
    const known = this.cache.get(this.key(at));
    if (known) this.show(known, duration);
    this.post({ set: at }, duration);
  }

  /** `allowed: 2, generation: v1.37` as indices by name. */
  read(text) {
    const values = {};
    for (const part of text.split(",")) {
      const [name, ...written] = part.split(":");
      const control = this.controls.find((each) => each.name === name.trim());
      if (!control) continue;
      const words = written.join(":").trim();
      if (control.kind === "typed") values[control.name] = words;
      const index = control.kind === "steps" && !control.values.length ? Number(words) : control.values.indexOf(words);
      if (control.kind !== "typed" && index >= 0) values[control.name] = index;
    }
    return values;
  }

  /** One message at a time; of those of one kind that wait, only the last counts. */
  post(content, duration = MOVE) {
    const [kind] = Object.keys(content);
    this.waiting.delete(kind);
    this.waiting.set(kind, [content, duration]);
    if (!this.busy) this.postNext();
  }

  postNext() {
    this.busy = false;
    const [kind] = this.waiting.keys();
    if (kind === undefined) return;
    const [content, duration] = this.waiting.get(kind);
    this.waiting.delete(kind);
    this.busy = true;
    this.duration = duration;
    this.sent = `${this.id} ${(this.count += 1)}`;
    this.model.send({ ...content, n: this.sent });
  }

  answered(shown) {
    const mine = shown.n === this.sent, moves = this.waiting.has("set");
    this.cache.set(this.key(shown.at), shown);
    if (!moves || !this.cache.has(this.key(this.at))) this.show(shown, this.duration ?? MOVE, !moves);
    if (mine) this.postNext();
  }

  /** Asks for every state along one control, so that moving it needs no answer. */
  ahead(name) {
    const of = `${name}|${this.key({ ...this.at, [name]: 0 })}|${this.roomText}`;
    if (this.asked === of) return;
    this.asked = of;
    this.model.send({ along: name });
  }

  // ------------------------------------------------------------ showing

  show(shown, duration, settle = true) {
    this.shown = shown;
    if (settle || !this.at) this.at = { ...shown.at };
    this.refreshControls();
    this.draw(shown.picture, duration);
    if (this.sentence.textContent !== shown.sentence) this.sentence.textContent = shown.sentence;
    if (this.tableText !== shown.table) this.table.replaceChildren(...parsed((this.tableText = shown.table)).childNodes);
    if (this.menu.open) this.menu.insertBefore(this.alert, this.menuBody); // beside the field that is wrong
    else if (shown.asking) this.picture.before(this.alert);
    else this.form.before(this.alert);
    this.alert.hidden = !shown.error;
    this.alert.textContent = shown.error ? `Error: ${shown.error}` : "";
    if (document.activeElement !== this.state) this.state.value = shown.state;
    this.storyButton.hidden = !shown.story;
    this.bar.hidden = !(this.controls.length || shown.picture || shown.asking || shown.verdict); // text alone
    this.el.classList.toggle("ks-asking", Boolean(shown.asking));
    this.el.classList.toggle("ks-covered", Boolean(shown.covered));
    this.showQuestion();
    if (this.menu.open && this.menuState !== shown.state) this.post({ menu: true });
    this.keep(shown);
    if (this.began && this.key(shown.at) === this.key(this.at)) {
      const { began } = this;
      this.began = 0;
      requestAnimationFrame(() => (this.el.dataset.latency = (performance.now() - began).toFixed(1)));
    }
  }

  /** Has the saved picture replaced, once the panel has settled in another state than the saved one. */
  keep({ state, asking, covered, verdict, error }) {
    const now = JSON.stringify([state, asking, covered, verdict, error]);
    this.kept ??= now;
    clearTimeout(this.settling);
    if (now === this.kept) return;
    this.settling = setTimeout(() => {
      this.kept = now;
      this.model.send({ still: true });
    }, SETTLED);
  }

  refreshControls() {
    for (const control of this.controls) {
      const row = this.rows.get(control.name), why = this.shown.idle?.[control.name] ?? "";
      row.update(this.at[control.name]);
      row.root.classList.toggle("ks-idle", Boolean(why));
      if (row.why.textContent !== why) row.why.textContent = why;
    }
  }

  draw(markup, duration) {
    if (markup === this.markup) return;
    const focused = this.handleId(this.picture.contains(document.activeElement) ? document.activeElement : null);
    const old = this.picture.querySelector("svg");
    const moves = old && duration > 0 && !still() && document.visibilityState === "visible";
    const before = new Map(), gone = [];
    this.markup = markup;
    const fresh = [...parsed(markup).childNodes];
    if (moves) {
      const names = new Set(fresh.flatMap((each) => (each.querySelectorAll ? [...each.querySelectorAll("[data-key]")] : [])).map((each) => each.dataset.key));
      for (const animation of old.getAnimations?.({ subtree: true }) ?? []) animation.pause();
      for (const [key, element] of keyed(old)) {
        before.set(key, place(element));
        const parent = above(element);
        if (!names.has(key) && !(parent && !names.has(parent.dataset.key))) gone.push({ element, matrix: element.getScreenCTM() });
      }
    }
    const frozen = gone.map(({ element, matrix }) => ({ element: element.cloneNode(true), matrix })).filter(({ matrix }) => matrix);
    this.picture.replaceChildren(...fresh);
    const svg = this.picture.querySelector("svg");
    if (!svg) return;
    svg.style.setProperty("--ks-least", `${svg.viewBox.baseVal.height}px`); // smaller, its text would have less than 12 px
    this.handles(svg);
    if (moves) morph(svg, before, frozen, duration);
    if (focused) [...svg.querySelectorAll("[tabindex]")].find((each) => this.handleId(each) === focused)?.focus({ preventScroll: true });
  }

  handleId(element) {
    const { drag, carry, pick, key } = element?.dataset ?? {};
    return element && [drag, carry, pick, key ?? element.getAttribute("aria-label")].join("|");
  }

  /** Handles can be focused and are announced. */
  handles(svg) {
    let any = false;
    const name = (element, text) => element.hasAttribute("aria-label") || element.setAttribute("aria-label", text);
    for (const element of svg.querySelectorAll("[data-drag]")) {
      const control = this.controls.find((each) => each.name === element.dataset.drag);
      if (!control) continue;
      any = true;
      const at = this.shown.at[control.name];
      element.setAttribute("tabindex", "0");
      element.setAttribute(OWN, "true");
      element.setAttribute("role", "slider");
      name(element, control.label);
      element.setAttribute("aria-valuemin", 0);
      element.setAttribute("aria-valuemax", this.last(control));
      element.setAttribute("aria-valuenow", at);
      element.setAttribute("aria-valuetext", control.values[at] ?? String(at));
      element.setAttribute("aria-orientation", element.dataset.axis === "x" ? "horizontal" : "vertical");
    }
    const asking = this.shown.asking;
    for (const element of svg.querySelectorAll("[data-set], [data-carry], [data-pick]")) {
      if (element.hasAttribute("role") || (asking && element.dataset.pick === undefined) || (!asking && element.dataset.set === undefined && element.dataset.carry === undefined)) continue;
      any = true;
      element.setAttribute("tabindex", "0");
      element.setAttribute(OWN, "true");
      element.setAttribute("role", "button");
      name(element, asking ? element.dataset.pick : element.dataset.tip ?? element.dataset.set ?? element.dataset.carry);
    }
    if (any) svg.setAttribute("role", "group");
  }

  // ------------------------------------------------------------ hands

  listen() {
    const on = (name, act) => this.picture.addEventListener(name, act);
    on("pointerdown", (event) => this.grab(event));
    on("pointermove", (event) => this.held && this.drag(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.drop());
    on("click", (event) => this.click(event.target));
    on("keydown", (event) => this.press(event));
    for (const name of ["pointerover", "focusin"]) this.el.addEventListener(name, (event) => this.point(event.target));
    for (const name of ["pointerleave", "focusout"]) this.el.addEventListener(name, () => this.point(null));
    this.el.addEventListener("click", (event) => this.follow(event));
    this.model.on("change:shown", () => this.answered(this.model.get("shown")));
    this.model.on("change:large", () => this.large(this.model.get("large")));
    this.model.on("msg:custom", (content) => this.told(content));
    this.model.on("comm_live_update", () => this.alive());
  }

  grab(event) {
    if (event.button || this.shown.asking) return;
    const handle = event.target.closest("[data-drag], [data-carry]");
    if (!handle || !this.picture.contains(handle)) return;
    const scale = this.picture.querySelector("svg").getScreenCTM()?.a || 1;
    const name = handle.dataset.drag, grabs = this.read(handle.dataset.grab ?? "");
    this.held = {
      name, grabs, scale, group: handle.dataset.carry, axis: handle.dataset.axis ?? "y", step: Number(handle.dataset.step ?? -14),
      from: [event.clientX, event.clientY], began: name && (grabs[name] ?? this.at[name]), moved: false,
      handle,
    };
    handle.focus?.({ preventScroll: true });
    if (name) this.ahead(name);
    event.preventDefault();
  }

  drag(event) {
    const { held } = this, by = [event.clientX - held.from[0], event.clientY - held.from[1]];
    if (!held.moved && Math.hypot(...by) < 4) return;
    if (!held.moved) {
      held.moved = true;
      this.picture.setPointerCapture(event.pointerId);
      this.el.classList.add("ks-dragging");
      if (held.group) this.lift(held);
    }
    if (held.group) return this.carry(event, by);
    const control = this.controls.find((each) => each.name === held.name);
    const steps = Math.round(by[held.axis === "x" ? 0 : 1] / held.scale / held.step);
    this.set({ ...held.grabs, [held.name]: clamp(held.began + steps, 0, this.last(control)) }, DRAG);
  }

  lift(held) {
    const source = held.handle.closest("g[data-key]") ?? held.handle;
    const svg = source.ownerSVGElement, root = svg.getScreenCTM().inverse(), { a, b, c, d, e, f } = root.multiply(source.getScreenCTM());
    const layer = document.createElementNS(svg.namespaceURI, "g");
    const copy = source.cloneNode(true);
    copy.removeAttribute("transform");
    layer.append(copy);
    layer.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
    layer.setAttribute("class", "ks-ghost");
    svg.firstElementChild.append(layer);
    source.classList.add("ks-lifted");
    Object.assign(held, { layer, source });
  }

  carry(event, by) {
    const { held } = this;
    held.layer.style.translate = `${by[0] / held.scale}px ${by[1] / held.scale}px`;
    const target = this.target(event.clientX, event.clientY, held.group);
    if (target !== held.target) {
      held.target?.classList.remove("ks-yes", "ks-no");
      held.target = target;
      if (target) this.offer(target);
      else this.say("");
    }
  }

  /** Shows whether this target takes what is carried. */
  offer(target) {
    const why = target.dataset.refuses;
    target.classList.add(why ? "ks-no" : "ks-yes");
    this.say(why ? `✕ ${why}` : "✓ drop here", target, why ? "ks-no" : "ks-yes");
  }

  target(x, y, group) {
    return document.elementsFromPoint(x, y).map((each) => each.closest?.(`[data-accepts="${CSS.escape(group)}"]`)).find((each) => each && this.picture.contains(each));
  }

  release(event) {
    const { held } = this;
    if (!held) return;
    if (held.group && held.moved && held.target) this.put(held.target);
    this.drop();
    if (held.moved) this.ignoreClick = true;
    setTimeout(() => (this.ignoreClick = false));
  }

  put(target) {
    if (target.dataset.refuses) {
      this.say(`✕ ${target.dataset.refuses}`, target, "ks-no");
      target.animate?.([{ translate: "0px" }, { translate: "-4px" }, { translate: "4px" }, { translate: "0px" }], { duration: still() ? 0 : 220 });
    } else {
      this.say("");
      this.set(this.read(target.dataset.drop ?? ""));
    }
  }

  drop() {
    this.held?.layer?.remove();
    this.held?.source?.classList.remove("ks-lifted");
    this.held?.target?.classList.remove("ks-yes", "ks-no");
    this.held = null;
    this.el.classList.remove("ks-dragging");
  }

  click(target) {
    if (this.ignoreClick) return;
    if (this.shown.asking) {
      const pick = target.closest("[data-pick]");
      if (pick) this.pick(pick.dataset.pick);
      return;
    }
    const element = target.closest("[data-set]");
    if (element) this.set(this.read(element.dataset.set));
  }

  /** A link does not take the page away: JupyterLab's own link to that file opens it, or else a new tab does. */
  follow(event) {
    const link = event.target.closest("a[href]"), file = link?.getAttribute("href");
    if (!link) return;
    const own = [...document.querySelectorAll(".jp-RenderedHTMLCommon a[href]")].find((each) => each.pathname.endsWith(`/${file}`) && !each.closest(".ks"));
    if (own) event.preventDefault();
    if (own) own.click();
    else link.target = "_blank";
  }

  press(event) {
    const { key, target } = event;
    if (key === "Escape") this.stopCarrying();
    if (this.carrying) {
      const accepts = target.closest("[data-accepts]");
      if (accepts && (key === "Enter" || key === " ")) {
        event.preventDefault();
        this.put(accepts);
        this.stopCarrying();
        return;
      }
    }
    const name = target.dataset.drag;
    if (name) {
      const control = this.controls.find((each) => each.name === name);
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 2, PageDown: -2, Home: -1e9, End: 1e9 }[key];
      if (by === undefined || this.shown.asking) return;
      event.preventDefault();
      event.stopPropagation();
      this.ahead(name);
      const grabs = this.read(target.dataset.grab ?? "");
      this.set({ ...grabs, [name]: clamp((grabs[name] ?? this.at[name]) + by, 0, this.last(control)) }, DRAG);
    } else if ((key === "Enter" || key === " ") && target.closest("[data-set], [data-pick], [data-carry]")) {
      event.preventDefault();
      event.stopPropagation();
      const carried = target.closest("[data-carry]");
      if (carried && !this.shown.asking) this.startCarrying(carried);
      else this.click(target);
    }
  }

  /** Carrying without a mouse: Enter takes it, Tab goes to the targets, Enter drops it, Escape lets go. */
  startCarrying(element) {
    this.carrying = element.dataset.carry;
    const targets = [...this.picture.querySelectorAll(`[data-accepts="${CSS.escape(this.carrying)}"]`)];
    for (const each of targets) {
      each.setAttribute("tabindex", "0");
      each.setAttribute(OWN, "true");
      each.setAttribute("role", "button");
      each.addEventListener("focus", () => this.offer(each));
      each.addEventListener("blur", () => each.classList.remove("ks-yes", "ks-no"));
    }
    targets[0]?.focus({ preventScroll: true });
  }

  stopCarrying() {
    if (!this.carrying) return;
    this.carrying = null;
    this.say("");
    for (const each of this.picture.querySelectorAll("[data-accepts]")) each.classList.remove("ks-yes", "ks-no");
  }

  /** Lights up what a number or a name refers to, and shows an element's remark. */
  point(target) {
    for (const each of this.el.querySelectorAll(".ks-lit")) each.classList.remove("ks-lit");
    const refers = target?.closest?.("[data-ref]");
    if (refers) {
      const key = refers.dataset.ref;
      for (const each of this.el.querySelectorAll("[data-key], [data-ref]")) {
        const other = each.dataset.key ?? each.dataset.ref;
        if (other === key || other.startsWith(`${key}/`)) each.classList.add("ks-lit");
      }
    }
    if (this.held?.group || this.carrying) return;
    const element = target?.closest?.("[data-tip]");
    this.say(element && !this.held ? element.dataset.tip : "", element);
  }

  say(text, beside, look = "") {
    this.tip.hidden = !text;
    this.tip.textContent = text ?? "";
    this.tip.className = `ks-tip ${look}`;
    if (!text || !beside) return;
    const frame = this.el.getBoundingClientRect(), box = beside.getBoundingClientRect();
    const wide = this.tip.offsetWidth, high = this.tip.offsetHeight;
    this.tip.style.left = `${clamp(box.x - frame.x + box.width / 2 - wide / 2, 0, Math.max(frame.width - wide, 0))}px`;
    this.tip.style.top = `${box.y - frame.y > high + 8 ? box.y - frame.y - high - 6 : box.bottom - frame.y + 6}px`;
  }

  // ------------------------------------------------------------ questions

  showQuestion() {
    const { asking, verdict, covered } = this.shown;
    const text = JSON.stringify([asking, verdict, covered, this.el.classList.contains("ks-large"), this.hands]);
    if (text === this.questionText) return;
    this.questionText = text;
    this.question.replaceChildren(...(asking ? this.form_of(asking) : covered ? this.cover(covered) : verdict ? this.verdict(verdict) : []));
    this.measure();
  }

  form_of({ text, choices, numbers, below, most }) {
    const polls = this.el.classList.contains("ks-large"), votes = polls ? this.votes() : {};
    const act = (words, label, onclick) => make("button", { type: "button", title: label, onclick }, words);
    const open = act(polls ? "Open the answer" : "Show the answer", "without predicting", () => this.post({ answer: this.winner() }));
    open.className = "ks-open";
    const polled = "One click for each hand; then open the answer.";
    const back = act("↶", "take the last vote back", () => (this.hands.pop(), this.showQuestion()));
    const last = polls && this.hands.length ? [back, open] : [open];
    if (!choices.length) {
      const counted = Object.entries(votes).map(([answer, count]) => act(`${answer} · ${count}`, "add a vote", () => this.pick(answer)));
      const input = make("input", { type: "text", "aria-label": text, size: 8 });
      const value = (typed) => (/^-?[\d,]+$/.test(typed) ? Number(typed.replaceAll(",", "")) : NaN);
      const fits = (typed) => (below || value(typed) >= 0) && value(typed) <= (most ?? 1e12);
      const done = () => {
        const typed = input.value.trim();
        input.setCustomValidity(!polls || !typed || fits(typed) ? "" : numbers); // else Python says what is wrong
        if (typed && input.reportValidity()) this.pick(typed);
      };
      input.addEventListener("keydown", (event) => event.key === "Enter" && (event.stopPropagation(), done()));
      const hint = make("small", {}, ` Type ${numbers}.`, polls ? ` ${polled}` : "");
      return [make("p", {}, make("b", {}, text), hint), make("div", { class: "ks-choices" }, input, act("OK", "answer", done), ...counted, ...last)];
    }
    const buttons = choices.map((choice) => {
      const count = votes[choice];
      return act(count ? `${choice} · ${count}` : choice, polls ? "add a vote" : "answer", () => this.pick(choice));
    });
    const where = this.picture.querySelector("[data-pick]") ? ", here or in the picture" : "";
    const hint = polls ? polled : `Click your answer${where}.`;
    return [make("p", {}, make("b", {}, text), " ", make("small", {}, hint)), make("div", { class: "ks-choices" }, ...buttons, ...last)];
  }

  /** By answer, how many hands were counted. */
  votes() {
    const found = {};
    for (const each of this.hands) found[each] = (found[each] ?? 0) + 1;
    return found;
  }

  /** The answer with most votes in a poll; null in a tie. */
  winner() {
    const [first, second] = Object.entries(this.votes()).sort((one, other) => other[1] - one[1]);
    return first && first[1] !== second?.[1] ? first[0] : null;
  }

  pick(answer) {
    if (!this.el.classList.contains("ks-large")) return this.post({ answer });
    this.hands.push(answer);
    this.showQuestion();
  }

  verdict({ text, answer, right, mark, why }) {
    const votes = Object.entries(this.votes()).map(([choice, count]) => `${choice}: ${count}`).join(", ");
    const said = answer === null ? "" : `${right ? "✓" : "✕"} ${mark} `;
    return [
      make("p", {}, make("b", {}, text), answer === null ? "" : votes ? ` Most say ${answer}.` : ` Your answer: ${answer}.`, votes ? ` Votes: ${votes}.` : ""),
      make("p", { class: right || answer === null ? "ks-right" : "ks-wrong", role: "status" }, make("b", {}, said), why),
    ];
  }

  cover(question) {
    const open = make("button", { type: "button", onclick: () => this.post({ uncover: true }) }, "Show it anyway");
    return [make("p", {}, "This shows the answer to the question above: ", make("i", {}, question), " "), make("div", { class: "ks-choices" }, open)];
  }

  // ------------------------------------------------------------ stories

  playStory() {
    this.pause();
    this.post({ story: true });
  }

  endStory() {
    if (!this.frames) return;
    this.pause();
    this.frames = null;
    this.storyBar.remove();
    this.sentence.textContent = this.shown.sentence;
    this.el.classList.remove("ks-telling");
  }

  tell(frames) {
    this.endStory();
    this.frames = frames;
    this.el.classList.add("ks-telling");
    const go = (frame, duration = MOVE) => {
      this.frame = frame;
      player.update((at, last) => `${at + 1} of ${last + 1}`);
      this.draw(frames[frame].picture, duration);
      this.sentence.textContent = frames[frame].caption;
    };
    const player = this.buildPlayer("Story", "Moment of the story", () => [this.frame, frames.length - 1], go);
    const close = make("button", { type: "button", "aria-label": "Close the story", title: "Close the story" }, "✕");
    close.addEventListener("click", () => {
      this.endStory();
      this.draw(this.shown.picture, MOVE);
    });
    this.storyBar = player.root;
    this.storyBar.classList.add("ks-control", "ks-steps", "ks-story");
    this.storyBar.append(close);
    this.player.append(this.storyBar);
    go(0);
    player.start();
  }

  // ------------------------------------------------------------ around it

  told(content) {
    if (content.along) for (const each of content.along) this.cache.set(this.key(each.at), each);
    if (content.story) {
      this.postNext();
      this.tell(content.story);
    }
    if (content.menu) {
      this.postNext();
      this.showMenu(content.menu);
    }
  }

  showMenu({ link, yaml, state }) {
    this.menuState = state;
    this.applied = "";
    const field = (name, text, rows) => {
      const area = make("textarea", { readonly: true, rows, "aria-label": name, spellcheck: "false" });
      area.value = text;
      const copy = make("button", { type: "button", onclick: () => (area.select(), navigator.clipboard?.writeText(text).catch(() => {})) }, "Copy");
      return make("div", { class: "ks-field" }, make("span", {}, name), area, copy);
    };
    this.state.value = state;
    const fields = [make("div", { class: "ks-field" }, make("span", {}, "State"), this.state), field("Link", link, 2)];
    this.menuBody.replaceChildren(...fields, ...(yaml ? [field("YAML", yaml, 12)] : []));
  }

  /** Applies the text in the field, once; JupyterLab keeps Enter from being a change. */
  restore() {
    if ([this.menuState, this.applied].includes(this.state.value)) return;
    this.applied = this.state.value;
    this.post({ state: this.state.value });
  }

  setLarge(on) {
    this.model.set("large", on);
    this.model.save_changes();
    this.large(on);
  }

  large(on) {
    this.el.classList.toggle("ks-large", on);
    this.largeButton.setAttribute("aria-pressed", String(on));
    this.showQuestion();
    this.measure();
  }

  /** Tells Python how much room the picture has, in units of normal text; a class sees the question above it, too. */
  measure() {
    const width = this.picture.clientWidth, size = parseFloat(getComputedStyle(this.el).fontSize) / TEXT;
    if (!width) return;
    const question = this.el.classList.contains("ks-large") ? this.question.offsetHeight : 0, above = 260 + question;
    this.el.style.setProperty("--ks-above", `${question}px`);
    const room = [Math.max(Math.floor(width / size / 20) * 20, 320), Math.max(Math.floor((innerHeight - above) / size / 20) * 20, 240)];
    if (room.join() === this.roomText) return;
    this.roomText = room.join();
    this.cache.clear();
    this.post({ room }, 0);
  }

  watch() {
    this.observer = new ResizeObserver(() => {
      cancelAnimationFrame(this.measuring);
      this.measuring = requestAnimationFrame(() => this.measure());
    });
    this.observer.observe(this.picture);
  }

  alive() {
    const dead = this.model.comm_live === false || this.model.widget_manager === undefined;
    this.lost.hidden = !dead;
    this.el.classList.toggle("ks-dead", dead);
  }

  remove() {
    this.pause();
    clearTimeout(this.settling);
    this.observer.disconnect();
  }
}

export default {
  render({ model, el }) {
    const stage = new Stage(model, el);
    return () => stage.remove();
  },
};
