// Show only the claims of one kind, status or section. Without this script all are shown.
(() => {
  const ready = () => {
    document.querySelectorAll(".evidence-filterable").forEach((block) => {
      const form = block.querySelector("form");
      const choices = [...form.querySelectorAll("select")];
      const claims = [...block.querySelectorAll("tbody[id]")];
      const count = block.querySelector(".evidence-count");

      const show = () => {
        claims.forEach((claim) => {
          claim.hidden = choices.some(
            (choice) => choice.value && claim.dataset[choice.name] !== choice.value
          );
        });
        const shown = claims.filter((claim) => !claim.hidden).length;
        count.textContent = `${shown} of ${claims.length} claims shown`;
      };

      // A link to a claim shows it, whatever is chosen.
      const reveal = () => {
        const claim = claims.find((found) => `#${found.id}` === location.hash);
        if (!claim) return;
        if (claim.hidden) form.reset();
        show();
        claim.querySelector("details").open = true;
        claim.scrollIntoView();
      };

      // evidence.html?kind=contested opens with that choice.
      const asked = new URLSearchParams(location.search);
      choices.forEach((choice) => {
        const value = asked.get(choice.name);
        if ([...choice.options].some((option) => option.value === value)) {
          choice.value = value;
        }
      });

      form.addEventListener("change", show);
      form.addEventListener("submit", (event) => event.preventDefault());
      form.addEventListener("reset", () => setTimeout(show));
      window.addEventListener("hashchange", reveal);
      form.hidden = false;
      show();
      reveal();
    });
  };
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", ready);
  } else {
    ready();
  }
})();
