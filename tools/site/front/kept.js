// What a browser keeps of a reader beyond this page: the theme, and what was tried. A page from a file may have no storage.

const PREFIX = "kschedlab-";

/** What was kept by this name, or null. */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch { /* then for this page alone */ }
}
