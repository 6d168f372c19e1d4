// Figures with the place in the JSON that they come from, and how they are written for people.

// A value of a document and where it stands: `path` is a list of keys and indexes. Undefined where
// the document has nothing there.
function at(doc, ...path) {
  let value = doc.content;
  for (const key of path) value = value === null || value === undefined ? undefined : value[key];
  return {value, from: [{document: doc.index, path}]};
}

// A figure that the page works out from others: the rule's name says how.
function ratio(a, b) {
  return {value: a.value / b.value, from: [...a.from, ...b.from], rule: "ratio"};
}

function isNumber(figure) {
  return figure !== undefined && typeof figure.value === "number" && Number.isFinite(figure.value);
}

// Three significant digits, without an exponent where that is readable.
function shortNumber(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e15 || size < 1e-6) return value.toExponential(2);
  if (size >= 99.95) return groups(Math.round(value));
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995) return value.toFixed(2);
  return String(Number(value.toPrecision(3)));
}

function groups(value) {
  return value.toLocaleString("en-US", {maximumFractionDigits: 0});
}

function scaled(value, steps, between = " ") {
  const size = Math.abs(value);
  let [factor, unit] = steps[0];
  // Rounding to three digits must not give 1,000 of a unit that has a next one.
  for (const step of steps) if (size >= step[0] * 0.9995) [factor, unit] = step;
  return shortNumber(value / factor) + (unit === "" ? "" : between + unit);
}

const kDurations = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [6e10, "min"], [3.6e12, "h"]];
const kDecimals = [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"]];
const kBinary = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"]];

// By unit of the figure: how it is written. Whole numbers that repeat exactly are written in full.
const kWritten = {
  ns: (value) => scaled(value, kDurations),
  ms: (value) => scaled(value * 1e6, kDurations),
  s: (value) => scaled(value * 1e9, kDurations),
  "rows/s": (value) => scaled(value, kDecimals) + " rows/s",
  bytes: (value) => scaled(value, kBinary),
  "%": (value) => shortNumber(value * 100) + " %",
  "change": (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + shortNumber(Math.abs(value) * 100) + " %",
  count: (value) => Number.isInteger(value) ? groups(value) : shortNumber(value),
  short: (value) => scaled(value, kDecimals, ""),
  number: shortNumber,
};

// Round numbers as they were chosen: 10 min, not 10.0 min.
function trimmed(text) {
  return text.replace(/\.0+(?!\d)/, "").replace(/(\.\d*[1-9])0+(?!\d)/, "$1");
}
kWritten.span = (value) => value === 0 ? "0" : trimmed(kWritten.ms(value));

// On an axis.
function writtenOnAxis(value, unit) {
  return value === 0 ? "0" : trimmed(written(value, unit));
}

function written(value, unit) {
  return (kWritten[unit] || kWritten.count)(value);
}

// Units of other programs' figures that are not written in a way of their own stand behind them.
function writtenWithUnit(value, unit) {
  if (kWritten[unit]) return written(value, unit);
  if (unit === "B" || unit === "byte") return written(value, "bytes");
  if (unit === "us" || unit === "µs") return written(value * 1000, "ns");
  return written(value, "count") + (unit ? " " + unit : "");
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// Everything that shows a number says where the number is from, so that it can be checked.
function show(figure, unit, tag = "span", attributes = {}) {
  if (!isNumber(figure)) return element(tag, {...attributes, class: "absent"}, "–");
  const [, number, rest] = writtenWithUnit(figure.value, unit).match(/^(.*?)( rows\/s)?$/);
  const shown = element(tag, attributes, number, rest ? element("small", {}, rest) : null);
  shown.dataset.unit = unit || "";
  shown.dataset.value = figure.value;
  shown.dataset.rule = figure.rule || "as is";
  shown.dataset.from = JSON.stringify(figure.from);
  return shown;
}

// Long names may be broken behind what joins their parts.
function breakable(name) {
  return String(name).split(/(?<=[\/:_,])/).flatMap((part) => [part, element("wbr")]);
}

// columns: {title, unit, text}; rows: a list of figures, texts or elements, the first of which heads
// the row.
function table(caption, columns, rows, attributes = {}) {
  const head = element("tr", {}, columns.map((column, i) =>
    element("th", {scope: "col", class: column.text ? "text" : undefined}, column.title)));
  const body = rows.map((row) => element("tr", {}, row.map((cell, i) => {
    const column = columns[i];
    const tag = i === 0 ? "th" : "td";
    const scope = i === 0 ? {scope: "row"} : {};
    if (cell instanceof Node) return element(tag, scope, cell);
    if (cell !== null && typeof cell === "object" && "from" in cell && typeof cell.value !== "string") {
      return show(cell, cell.unit || column.unit, tag, scope);
    }
    const text = cell !== null && typeof cell === "object" ? cell.value : cell;
    return element(tag, {...scope, class: column.text ? "text" : undefined}, i === 0 ? breakable(text) : String(text ?? "–"));
  })));
  return scrolling(caption, element("table", attributes,
    element("caption", {}, element("span", {}, caption)), element("thead", {}, head), element("tbody", {}, body)));
}

// Wide tables scroll by themselves, by keyboard too; the page never does so sideways.
function scrolling(label, inner) {
  return element("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": label}, inner);
}

// A long table is there, but folded.
function folded(title, inner, rows) {
  return rows <= 12 ? inner : element("details", {}, element("summary", {}, title), inner);
}
