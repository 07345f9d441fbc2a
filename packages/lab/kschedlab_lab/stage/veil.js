// The text below an open question tells what becomes of it: until it is answered, or its answer shown, that text is veiled,
// up to the next heading or panel.

const HEADING = "h1, h2, h3, h4", PANEL = ".kschedlab";
const TEXT = ".jp-RenderedMarkdown > *, main.ks-course > .jp-RenderedHTMLCommon:not(.output) > *"; // of a notebook, of a page

/** Whether what is shown waits for an answer, its own or that of another panel. */
export const waits = ({ asking, covered }) => Boolean(asking || covered);

/** `stages`: the panels of this page. */
export function veil(page, stages) {
  const open = new Map([...stages].map(({ host, shown, isLost }) => [host, waits(shown) && !isLost]));
  let veils = false;
  for (const each of page.querySelectorAll(`${HEADING}, ${PANEL}, ${TEXT}`)) {
    if (each.matches(PANEL)) veils = open.get(each) ?? false;
    else if (each.matches(HEADING)) veils = false;
    if (!each.matches(TEXT) || each.inert === veils) continue;
    each.inert = veils; // nothing in it is read out, found or clicked
    each.classList.toggle("ks-veiled", veils);
  }
}
