// A command to copy, a button and a place to drop files on, and a field for a path. Files go in parts: one large message would end the connection to the
// kernel without a word. Each part is acknowledged before the next one leaves.

import { button, make, tell } from "./dom.js";
import { learn, say } from "./language.js";

const PART = 2 * 1024 * 1024;
const size = (bytes) => (bytes < 2 ** 20 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`);

export default {
  render({ model, el }) {
    learn(model, el);
    const limit = model.get("limit");
    const input = make("input", { type: "file", multiple: true, hidden: true, accept: ".yaml,.yml,.json,.gz" });
    const hint = say(".yaml, .json or .gz, up to {size}; for more, give the path", { size: size(limit) });
    const note = make("span", { role: "status" }, hint);
    let acknowledged = () => {};
    el.classList.add("kschedlab", "ks", "ks-files");
    input.addEventListener("change", () => send([...input.files]));
    const wrong = make("div", { class: "ks-refused", role: "alert" }); // above the field, so that it is in sight, too
    const path = make("input", { type: "text", placeholder: "/path/to/cluster.yaml", "aria-label": say("path") });
    const command = make("input", { type: "text", readonly: true, value: model.get("command"), "aria-label": say("command"), spellcheck: "false" });
    const copy = () => (command.select(), navigator.clipboard?.writeText(command.value).catch(() => {}));
    const load = () => ask({ path: path.value.trim() });
    path.addEventListener("keydown", (event) => event.key === "Enter" && load());
    el.append(
      make("span", { class: "ks-command ks-path" }, command, button(say("Copy"), copy)),
      button(say("Choose files, or drop them here"), () => input.click()), note, input, wrong,
      make("span", { class: "ks-path" }, path, button(say("Load path"), load)),
      button(model.get("leaving"), () => ((path.value = ""), ask({ back: true }))),
    );

    function ask(message) {
      if (message.path === "") note.textContent = say("Type a path.");
      else if (tell(model, message, [])) note.textContent = say("Loading …");
      else note.textContent = say("✕ The kernel has stopped. Run the cell again to go on.");
    }

    for (const name of ["dragenter", "dragover"]) el.addEventListener(name, (event) => (event.preventDefault(), el.classList.add("ks-over")));
    for (const name of ["dragleave", "drop"]) el.addEventListener(name, () => el.classList.remove("ks-over"));
    el.addEventListener("drop", (event) => {
      event.preventDefault();
      send([...event.dataTransfer.files]);
    });

    async function send(files) {
      const total = files.reduce((sum, file) => sum + file.size, 0);
      if (!files.length) return;
      if (total > limit) {
        const names = files.map((file) => file.name).join(", ");
        note.textContent = say("✕ {names}: {size} is more than {limit}. Give the path instead.", { names, size: size(total), limit: size(limit) });
        return;
      }
      let done = 0;
      for (const [i, file] of files.entries()) {
        for (let at = 0; at === 0 || at < file.size; at += PART) {
          const part = await file.slice(at, at + PART).arrayBuffer();
          const last = i === files.length - 1 && at + PART >= file.size;
          const answer = new Promise((done) => (acknowledged = done));
          if (!tell(model, { name: file.name, first: i === 0 && at === 0, begins: at === 0, last }, [part])) {
            note.textContent = say("✕ The kernel has stopped. Run the cell again to go on.");
            return;
          }
          await answer;
          done += part.byteLength;
          note.textContent = last ? say("Loading …") : say("{at} of {last}", { at: size(done), last: size(total) });
        }
      }
      input.value = "";
    }

    const heard = (message) => (message.done ? (note.textContent = hint) : acknowledged());
    const refuse = () => {
      wrong.innerHTML = model.get("wrong");
      wrong.hidden = !wrong.innerHTML;
      if (!wrong.hidden) el.scrollIntoView({ block: "nearest" });
    };
    refuse();
    model.on("msg:custom", heard);
    model.on("change:wrong", refuse);
    return () => (model.off("msg:custom", heard), model.off("change:wrong", refuse));
  },
};
