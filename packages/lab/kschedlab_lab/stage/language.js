// The language of the buttons and remarks: Python sends the words, by their English texts.

let known = {};

/** Takes over the language of this widget, and says which one it is to the browser, for its fonts and line breaks. */
export function learn(model, el) {
  const { lang, words } = model.get("spoken") ?? {};
  known = words ?? {};
  if (lang) el.lang = lang;
}

/** The text in the language of the page, with its fields filled in: say("{at} of {last}", { at, last }). */
export const say = (text, fields = {}) => (known[text] ?? text).replace(/\{(\w+)\}/g, (field, name) => fields[name] ?? field);
