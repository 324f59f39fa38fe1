// Two small things that the theme leaves out.
(() => {
  // Open every folded block for printing and fold it again afterwards.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((block) => block.setAttribute("open", ""));
  });
  window.addEventListener("afterprint", () => {
    opened.forEach((block) => block.removeAttribute("open"));
    opened = [];
  });

  // An equation, listing or table that is too wide scrolls inside itself; let the
  // keyboard reach it then.
  const reachable = () => {
    const boxes = "pre, mjx-container, .pst-scrollable-table-container, .book-table-frame";
    document.querySelectorAll(`.bd-article :is(${boxes})`).forEach((block) => {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
      else block.removeAttribute("tabindex");
    });
  };
  window.addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    reachable();
  });
  window.addEventListener("resize", reachable);
})();
