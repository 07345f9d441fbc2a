// What a browser keeps of a reader beyond this page: the theme, what was tried, and where panels are. There may be no storage.

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
