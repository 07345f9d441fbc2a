// The language of the buttons and remarks: Python sends the words, by their English texts.

let known = {};

/** Takes over the language of this widget, and tells the browser which one it is, for fonts and line breaks. */
export function learn(model, ...elements) {
  const { lang, words } = model.get("spoken") ?? {};
  known = words ?? {};
  if (lang) for (const each of elements) each.lang = lang;
}

/** The text in the language of the page, with its fields filled in: say("{at} of {last}", { at, last }). */
export const say = (text, fields = {}) => (known[text] ?? text).replace(/\{(\w+)\}/g, (field, name) => fields[name] ?? field);
