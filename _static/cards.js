// Show the whole reference beside a citation that is pointed at or reached by keyboard.
// Without this script the browser shows the same text as the link's title.
(() => {
  const card = document.createElement("div");
  card.id = "citation-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;

  const show = (link) => {
    card.textContent = link.dataset.reference;
    card.hidden = false;
    const place = link.getBoundingClientRect();
    const room = document.documentElement.clientWidth - card.offsetWidth - 8;
    card.style.left = `${window.scrollX + Math.max(8, Math.min(place.left, room))}px`;
    card.style.top = `${window.scrollY + place.bottom + 6}px`;
    link.setAttribute("aria-describedby", card.id);
  };
  const hide = () => {
    card.hidden = true;
    document.querySelector("[aria-describedby=citation-card]")
      ?.removeAttribute("aria-describedby");
  };

  window.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".bibtex-citation a[title]").forEach((link) => {
      link.dataset.reference = link.title;
      link.removeAttribute("title");
      link.addEventListener("mouseenter", () => show(link));
      link.addEventListener("focus", () => show(link));
      link.addEventListener("mouseleave", hide);
      link.addEventListener("blur", hide);
    });
    document.body.append(card);
  });
  window.addEventListener("keydown", (event) => event.key === "Escape" && hide());
})();
