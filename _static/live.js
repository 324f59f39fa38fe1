// Offer to run a page's code. What that takes is loaded when the reader asks for it.
(() => {
  const NO_FILE = "A page opened from a file cannot start Python. "
    + "In the book's folder, “make live” opens it with Python behind every cell.";
  const NO_PYTHON = "This copy of the book carries no Python. In the book's folder, "
    + "“make live” runs the cells on your machine; “make browser-python”, then "
    + "“make book”, puts a Python for the browser into the pages.";

  const meta = (name) => document.querySelector(`meta[name=${name}]`);
  const button = (text) => Object.assign(document.createElement("button"), {
    type: "button", className: "live-button live-start", textContent: text,
  });

  document.addEventListener("DOMContentLoaded", () => {
    const offer = meta("live-cells");
    const first = document.querySelector(".bd-article div.cell");
    if (!offer || !first) return;
    const bar = document.createElement("div");
    bar.className = "live-bar";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Python for this page");
    const status = document.createElement("p");
    status.className = "live-status";
    status.setAttribute("role", "status");
    const lacking = location.protocol === "file:" ? NO_FILE
      : !meta("live-kernels") && !offer.dataset.python ? NO_PYTHON : "";
    status.textContent = lacking ? "With “make live”, every cell can be edited and run."
      : "Every cell can be edited and run, here in the page.";
    const atTop = button("Run this page's code");
    const atCell = button("Run this page's code");
    atCell.classList.add("live-start-here");
    bar.append(atTop, status);
    document.querySelector(".bd-article h1")?.after(bar);
    first.before(atCell);

    const arm = async (asked) => {
      if (lacking) {
        status.textContent = lacking;
        bar.scrollIntoView({ block: "nearest" });
        return;
      }
      const page = await import(new URL("page.js", new URL(offer.content, location.href)));
      atTop.remove();
      atCell.remove();
      await page.arm(bar, status, asked);
    };
    for (const start of [atTop, atCell]) start.addEventListener("click", () => arm(true));
    // A link with changed cells shows them at once; it runs nothing.
    const shared = () => document.body.dataset.live || !/[#&]cells=/.test(location.hash);
    const restore = () => shared() || arm(false);
    window.addEventListener("hashchange", restore);
    restore();
  });
})();
