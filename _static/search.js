// What the search shows of a page: its prose, with equations in plain letters.
(() => {
  const LETTERS = {
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eta: "η", theta: "θ",
    lambda: "λ", mu: "μ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", Delta: "Δ", Pi: "Π",
    le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", approx: "≈", propto: "∝",
    to: "→", times: "×", cdot: "·", infty: "∞", mid: "|", Vert: "‖", star: "*",
    log: "log", exp: "exp", max: "max", min: "min", sum: "Σ", pm: "±", dots: "…",
  };
  const LEFT_OUT = ".headerlink, script, style, svg, .cell_input, details.above-input, "
    + "details.figure-block, .figure-block-print, .evidence-controls";

  const plain = (tex) => tex
    .replace(/\\[()[\]]/g, "")
    .replace(/\\([a-zA-Z]+)\s*/g, (_, name) => LETTERS[name] ?? "")
    .replace(/\\./g, " ")
    .replace(/[{}]/g, "");

  const prose = (page, anchor) => {
    const parsed = new DOMParser().parseFromString(page, "text/html");
    parsed.querySelectorAll(LEFT_OUT).forEach((found) => found.remove());
    parsed.querySelectorAll("div.math").forEach((found) => found.replaceWith(" … "));
    parsed.querySelectorAll("span.math").forEach((found) => {
      found.replaceWith(plain(found.textContent));
    });
    parsed.querySelectorAll("td, th, dt, dd, li").forEach((found) => found.append(" "));
    const article = parsed.querySelector("article.bd-article") ?? parsed.body;
    const part = anchor && article.querySelector(`#${CSS.escape(anchor.slice(1))}`);
    return (part || article).textContent;
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search !== "undefined") Search.htmlToText = prose;
  });
})();
