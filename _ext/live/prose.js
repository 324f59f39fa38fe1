// The numbers in the sentences: renewed when the cell that hands them over is run.

const GLUED = "application/papermill.record/text/plain";
const inBook = new WeakMap(); // number on the page -> the book's text

const places = (name) => document.querySelectorAll(`.bd-article .glued-${CSS.escape(name)}`);

// Python's "'0.5'" -> "0.5"
export const unquoted = (text) => text.replace(/^(['"])(.*)\1$/s, "$2").replace(/\\(['"\\])/g, "$1");

// The name of what an output hands to the prose, if it does, after showing it there.
export function renew({ data, metadata }) {
  const name = metadata?.scrapbook?.name;
  if (data[GLUED] === undefined || !name) return null;
  for (const place of places(name)) {
    if (!inBook.has(place)) inBook.set(place, place.textContent);
    place.textContent = unquoted(data[GLUED]);
    const differs = place.textContent !== inBook.get(place);
    place.classList.toggle("live-number", differs);
    if (differs) place.title = `in the book: ${inBook.get(place)}`;
    else place.removeAttribute("title");
  }
  return name;
}

// Show the book's number again.
export function restore(name) {
  for (const place of places(name)) {
    place.textContent = inBook.get(place) ?? place.textContent;
    place.classList.remove("live-number");
    place.removeAttribute("title");
  }
}
