// Open every folded block for printing and fold it again afterwards.
(() => {
  let opened = [];
  const open = () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((block) => block.setAttribute("open", ""));
  };
  const close = () => {
    opened.forEach((block) => block.removeAttribute("open"));
    opened = [];
  };
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
})();
