// The teacher's forms: sheets to print, and the progress that a class hands in. Python makes the documents and tables.

import { takeWhole } from "../stage/dock.js";
import { button, make, tell } from "../stage/dom.js";
import { learn, say } from "../stage/language.js";

const field = (words, input) => make("label", {}, make("span", {}, words), input);
const choice = (values, chosen, shown = {}) =>
  make("select", {}, ...values.map((each) => make("option", { value: each, selected: each === chosen }, shown[each] ?? each)));

function download(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Sheets: lesson, seeds, contents; then show, print or download. */
function sheets(model, el, send) {
  const form = model.get("form");
  const kinds = Object.keys(form.contents);
  const lesson = choice(Object.keys(form.lessons), form.lesson, form.lessons), contents = choice(kinds, kinds[0], form.contents);
  const seeds = make("input", { type: "text", value: form.seeds, size: 12, spellcheck: "false" });
  const said = make("p", { class: "ks-said", role: "status" });
  const place = make("div", { class: "ks-preview" });
  const working = make("progress", { hidden: true });
  let asked = 0; // the number of what was asked last: replies to anything else come too late
  const rest = () => {
    asked += 1;
    working.hidden = true;
    said.textContent = "";
    place.classList.add("ks-old");
  };
  const ask = (then) => () => {
    rest();
    working.hidden = false;
    send({ n: asked, lesson: lesson.value, seeds: seeds.value, contents: contents.value, then });
  };
  for (const each of [lesson, seeds, contents]) each.addEventListener("input", rest);
  seeds.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") ask("show")();
  });
  const framed = (text, print) => {
    const frame = make("iframe", { title: say("the sheets"), sandbox: "allow-same-origin allow-modals" });
    frame.srcdoc = text;
    if (print) frame.addEventListener("load", () => frame.contentWindow.print());
    place.replaceChildren(frame);
  };
  const told = (reply) => {
    if (reply.n !== asked) return;
    working.hidden = true;
    place.classList.remove("ks-old");
    said.textContent = reply.error ? `⚠ ${reply.error}` : reply.then === "download" ? reply.name : "";
    if (reply.error) return place.replaceChildren();
    if (reply.then === "download") download(reply.document, reply.name, "text/html");
    framed(reply.document, reply.then === "print"); // also of a download: what is shown is what was made last
  };
  model.on("msg:custom", told);
  el.append(
    make("div", { class: "ks-fields" }, field(say("lesson"), lesson), field(say("seeds"), seeds), field(say("contents"), contents)),
    make("div", { class: "ks-fields" }, button(say("Show"), ask("show"), { class: "ks-main" }), button(say("Print, or save as PDF"), ask("print")), button(say("Download"), ask("download")), working),
    said, place,
  );
  return () => model.off("msg:custom", told);
}

/** What changes above the node scrolls by as much: the node stays where it is on the screen. */
function staying(node, change) {
  const top = () => node.getBoundingClientRect().top, before = top();
  change();
  for (let box = node.parentElement; box && Math.round(top() - before); box = box.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowY) || box === document.scrollingElement) box.scrollTop += top() - before;
}

/** Progress: files dropped or chosen. */
function roster(model, el, send) {
  const { largest } = model.get("form");
  const table = make("div", { class: "ks-table", "aria-live": "polite" });
  let asked = null; // the mark whose answer is open, or on its way
  let begins = false; // after “Start over” the form is seen from its top
  const fill = (html) => {
    asked = null;
    table.innerHTML = html;
    for (const mark of table.querySelectorAll("[data-answer]")) {
      mark.tabIndex = 0;
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-expanded", "false");
    }
  };
  const close = () => table.querySelector(".ks-answer")?.remove();
  const ask = (mark) => {
    const old = asked;
    old?.setAttribute("aria-expanded", "false");
    asked = mark === old ? null : mark;
    if (!asked) return staying(mark, close);
    asked.setAttribute("aria-expanded", "true");
    send({ show: asked.dataset.answer });
  };
  const answer = ({ answer: html, of }) => {
    if (asked?.dataset.answer !== of) return;
    const line = asked.closest("tr"), cell = make("td", { colSpan: line.cells.length });
    cell.innerHTML = html;
    staying(asked, () => {
      close();
      line.after(make("tr", { class: "ks-answer" }, cell));
    });
  };
  table.addEventListener("click", ({ target }) => {
    const mark = target.closest("[data-answer]");
    if (mark) ask(mark);
  });
  table.addEventListener("keydown", (event) => {
    if (!event.target.matches("[data-answer]") || ![" ", "Enter"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab would edit the cell
    ask(event.target);
  });
  const said = make("p", { class: "ks-said", role: "status" });
  const take = async (list) => {
    const files = {};
    const refused = [];
    for (const file of list) {
      if (file.size > largest) refused.push(say("{file} is larger than {size} bytes", { file: file.name, size: largest.toLocaleString("en") }));
      else files[file.webkitRelativePath || file.name] = await file.text();
    }
    said.textContent = refused.length ? `⚠ ${refused.join(say("; "))}` : "";
    send({ files });
  };
  const input = make("input", { type: "file", multiple: true, accept: ".json", "aria-label": say("files of the class") });
  input.addEventListener("change", () => take([...input.files]));
  const zone = make("div", { class: "ks-drop" }, say("Drop the files of the class here, or choose them: "), input);
  zone.addEventListener("dragover", (event) => (event.preventDefault(), event.stopPropagation(), zone.classList.add("ks-over")));
  zone.addEventListener("dragleave", () => zone.classList.remove("ks-over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("ks-over");
    take([...event.dataTransfer.files]);
  });
  const clear = () => {
    input.value = "";
    begins = true;
    send({ clear: true });
  };
  const save = button(say("Download as CSV"), () => download(model.get("merged").csv, "class.csv", "text/csv"));
  const buttons = make("div", { class: "ks-fields" }, save, button(say("Start over"), clear));
  const merged = () => {
    const { table: html, csv, begun } = model.get("merged");
    fill(html);
    save.hidden = !csv;
    buttons.hidden = !begun;
    if (begins) zone.scrollIntoView({ block: "nearest" });
    begins = false;
  };
  merged();
  model.on("change:merged", merged);
  model.on("msg:custom", answer);
  el.append(zone, said, table, buttons);
  return () => (model.off("change:merged", merged), model.off("msg:custom", answer));
}

export default {
  render({ model, el }) {
    learn(model, el);
    el.classList.add("kschedlab", "ks", "ks-desk");
    takeWhole(el);
    const lost = make("p", { class: "ks-lost", hidden: true }, say("The kernel has stopped. Run the cell again to go on."));
    const cut = () => (lost.hidden = model.comm_live !== false);
    const send = (message) => (lost.hidden = tell(model, message));
    el.append(lost);
    model.on("comm_live_update", cut);
    const large = () => el.classList.toggle("ks-large", model.get("large"));
    model.on("change:large", large);
    large();
    const leave = (model.get("form").kind === "sheets" ? sheets : roster)(model, el, send);
    return () => (leave(), model.off("change:large", large), model.off("comm_live_update", cut));
  },
};
