// Draws the page's charts and lets their sliders move them.
//
// A chart is a .book-chart with its specification, numbers and words as JSON in a script
// element (toolkit/charts/book_chart.py). Vega comes before this file and sets vegaEmbed.
// For outputs that are run again: bookCharts.draw(element) draws the charts inside it.
(() => {
  const drawn = new WeakMap(); // chart -> what was made for it

  // Numbers -------------------------------------------------------------------

  /** Columns of numbers as rows that know their order. */
  const rowsOf = (columns) => {
    const names = Object.keys(columns);
    return columns[names[0]].map((_, row) => ({
      row,
      ...Object.fromEntries(names.map((name) => [name, columns[name][row]])),
    }));
  };

  /** The names of the tables that the marks of a compiled chart show. */
  const tablesOf = (marks) =>
    marks.flatMap(({ from, marks: inner }) => [
      ...(from?.facet ? [from.facet.data] : from?.data ? [from.data] : []),
      ...(inner && !from?.facet ? tablesOf(inner) : []),
    ]);

  /** The rows of numbers that a chart shows now. */
  const rowsShown = (box) => {
    const { view, tables, titles } = drawn.get(box);
    const all = tables.map((name) => view.data(name));
    const longest = all.reduce((a, b) => (b.length > a.length ? b : a));
    const sorted = [...longest].sort((a, b) => a.row - b.row);
    return sorted.map((row) =>
      Object.fromEntries(Object.keys(titles).map((name) => [name, row[name] ?? null])),
    );
  };

  const short = (value) => {
    if (value === null) return "–";
    if (typeof value !== "number" || Number.isInteger(value)) return String(value);
    return String(Number(value.toPrecision(3)));
  };

  const fillTable = (box) => {
    const body = box.querySelector(".book-chart-numbers tbody");
    body.replaceChildren(
      ...rowsShown(box).map((row) => {
        const line = document.createElement("tr");
        for (const value of Object.values(row)) line.insertCell().textContent = short(value);
        return line;
      }),
    );
  };

  const quoted = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  /** What a chart shows now as a file, with where its sliders stand. */
  const asCsv = (box) => {
    const { titles, sliders, at } = drawn.get(box);
    const stand = sliders.map(({ values }, i) => values[at[i]]);
    const header = [...sliders.map(({ name }) => name), ...Object.values(titles)];
    const rows = rowsShown(box).map((row) => [...stand, ...Object.values(row)]);
    return [header, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
  };

  const addDownload = (box, name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Download these numbers (CSV)";
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([asCsv(box)], { type: "text/csv" }));
      link.download = `${name}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
    box.querySelector(".book-chart-numbers").append(button);
  };

  // Sliders -------------------------------------------------------------------

  /** Position among all settings; the last slider turns fastest. */
  const position = ({ sliders, at }) =>
    sliders.reduce((sum, { values }, i) => sum * values.length + at[i], 0);

  /** Move a slider; return when the chart is drawn. */
  const move = async (box, index, to) => {
    const chart = drawn.get(box);
    chart.at[index] = to;
    const { name, values } = chart.sliders[index];
    chart.view.signal(name, values[to]);
    await chart.view.runAsync();
    box.querySelector(".book-chart-says").textContent = chart.says[position(chart)];
    if (box.querySelector(".book-chart-numbers").open) fillTable(box);
  };

  const addSlider = (box, index) => {
    const { name, label, shown, start } = drawn.get(box).sliders[index];
    const row = document.createElement("div");
    const input = document.createElement("input");
    const words = document.createElement("label");
    const value = document.createElement("span");
    row.className = "book-chart-slider";
    Object.assign(input, { type: "range", min: 0, max: shown.length - 1, step: 1 });
    input.value = start;
    input.id = words.htmlFor = `${box.id}-${name}`;
    words.textContent = label;
    value.className = "book-chart-value";
    value.setAttribute("aria-hidden", "true"); // the slider itself says it
    const say = () => {
      value.textContent = shown[input.value];
      input.setAttribute("aria-valuetext", shown[input.value]);
    };
    say();
    input.addEventListener("input", () => {
      say();
      move(box, index, Number(input.value));
    });
    row.append(words, input, value);
    box.querySelector(".book-chart-sliders").append(row);
  };

  // Drawing -------------------------------------------------------------------

  const complain = (box, error) => {
    const words = document.createElement("p");
    words.className = "book-chart-error";
    words.setAttribute("role", "alert");
    words.textContent = `This chart could not be drawn (${error.message}). Its numbers are below.`;
    box.querySelector(".book-chart-drawing").replaceWith(words);
    box.querySelector(".book-chart-numbers").open = true;
  };

  const drawOne = async (box) => {
    const source = box.querySelector(":scope > script[type='application/json']");
    const { name, titles, sliders, says, columns, spec } = JSON.parse(source.textContent);
    const place = box.querySelector(".book-chart-drawing");
    if (!window.vegaEmbed) throw new Error("the script that draws it did not load");
    spec.data = { name: "table", values: rowsOf(columns) };
    spec.params = sliders.map(({ name, values, start }) => ({ name, value: values[start] }));
    spec.width = place.clientWidth;
    spec.autosize = { type: "fit-x", contains: "padding" };
    spec.config = { ...spec.config, font: getComputedStyle(place).fontFamily };
    const inner = document.createElement("div");
    inner.setAttribute("aria-hidden", "true"); // Vega describes its marks; the words do it better
    place.append(inner);
    const { view, vgSpec } = await window.vegaEmbed(inner, spec, {
      actions: false,
      mode: "vega-lite",
      renderer: "svg",
    });
    const at = sliders.map(({ start }) => start);
    const tables = [...new Set(tablesOf(vgSpec.marks))];
    drawn.set(box, { view, tables, titles, sliders, says, at });
    sliders.forEach((_, index) => addSlider(box, index));
    addDownload(box, name);
    const numbers = box.querySelector(".book-chart-numbers");
    numbers.addEventListener("toggle", () => numbers.open && fillTable(box));
    new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width && width !== view.width()) view.width(width).runAsync();
    }).observe(place);
  };

  /** Draw the charts in an element, or it, that are not drawn yet. */
  const draw = async (element) => {
    const inside = [...element.querySelectorAll(".book-chart:not([data-state])")];
    if (element.matches?.(".book-chart:not([data-state])")) inside.push(element);
    for (const box of inside) {
      box.dataset.state = "drawing";
      try {
        await drawOne(box);
        box.dataset.state = "drawn";
      } catch (error) {
        box.dataset.state = "failed";
        complain(box, error);
      }
    }
  };

  window.bookCharts = { draw, move, rowsShown };
  draw(document);
})();
