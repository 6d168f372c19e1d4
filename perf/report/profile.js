// A document of `tidemark profile`: the grid of size/slide x keys x strategies.

// What the strategy matrix can show: {title, unit, better, pick}.
const kMetrics = [
  {title: "rows per second", unit: "short", better: "higher", path: ["rows_per_second"]},
  {title: "updates per row", unit: "number", better: "lower", path: ["updates_per_row"]},
  {title: "merges per slide", unit: "number", better: "lower", path: ["merges_per_slide"]},
  {title: "live entries", unit: "count", better: "lower", path: ["live_entries"]},
  {title: "state bytes, logical", unit: "bytes", better: "lower", path: ["state_bytes"]},
  {title: "state bytes, allocated", unit: "bytes", better: "lower", path: ["allocated_bytes"]},
  {title: "bytes per key", unit: "bytes", better: "lower", path: ["bytes_per_key"]},
  {title: "time of one firing, p99", unit: "ns", better: "lower", path: ["firing_ns", "p99"]},
  {title: "time of one firing, worst", unit: "ns", better: "lower", path: ["firing_ns", "worst"]},
];
const kPhases = ["probe", "update", "fire", "evict", "other"];

function distinct(values) {
  return [...new Set(values)];
}

function cellFigure(doc, i, ...path) {
  return at(doc, "cells", i, ...path);
}

function shapeName(cell) {
  return `size ${written(cell.size_ms, "span")}, slide ${written(cell.slide_ms, "span")}, ${written(cell.keys, "count")} keys`;
}

function overlap(doc, i) {
  return ratio(cellFigure(doc, i, "size_ms"), cellFigure(doc, i, "slide_ms"));
}

// Small charts beside one another, one per number of keys, a line per strategy.
function overlapPlots(doc, grid, name, title, text, y, ...path) {
  const values = grid.indexes.map((i) => cellFigure(doc, i, ...path)).filter((figure) => isNumber(figure) && figure.value > 0)
    .map((figure) => figure.value);
  if (values.length === 0) return null;
  const overlaps = distinct(grid.indexes.map((i) => overlap(doc, i).value));
  // The charts are read side by side, so they have one scale.
  const low = Math.min(...values), high = Math.max(...values);
  const ticks = roundTicks(y.unit, true, low, high);
  const scale = ticks ? {min: ticks[0], max: ticks.at(-1)} : {min: 10 ** Math.floor(Math.log10(low)), max: 10 ** Math.ceil(Math.log10(high))};
  const plots = grid.keys.map((keys, k) => element("div", {}, grid.keys.length > 1 ? element("h4", {}, `${written(keys, "count")} keys`) : null,
    linePlot(`${name}-${doc.index}-${k}`, `${title} at ${keys} keys, a line per strategy; the strategy matrix has the same figures`, {
      series: () => grid.strategies.map((label, number) => ({label, number, points: grid.indexes
        .filter((i) => grid.cells[i].strategy === label && grid.cells[i].keys === keys && isNumber(cellFigure(doc, i, ...path)))
        .sort((a, b) => overlap(doc, a).value - overlap(doc, b).value)
        .map((i) => ({x: overlap(doc, i), y: cellFigure(doc, i, ...path)}))})).filter((one) => one.points.length > 0),
      x: {title: "size / slide, windows a row is in", log: true, unit: "short", ticks: overlaps.length <= 8 ? overlaps : undefined},
      y: {...y, ...scale},
    })));
  const columns = [{title: "Strategy"}, {title: "Keys"}, {title: "Size", unit: "span"}, {title: "Slide", unit: "span"},
                   {title: "Size / slide", unit: "number"}, {title: y.column, unit: y.unit === "short" ? "rows/s" : y.unit}];
  const rows = grid.indexes.filter((i) => isNumber(cellFigure(doc, i, ...path))).map((i) => [grid.cells[i].strategy,
    cellFigure(doc, i, "keys"), cellFigure(doc, i, "size_ms"), cellFigure(doc, i, "slide_ms"), overlap(doc, i), cellFigure(doc, i, ...path)]);
  return card(title, text, element("div", {class: "plots" + (plots.length > 1 ? "" : " single")}, plots),
              folded(`Table of ${rows.length} cells`, table(title, columns, rows), rows.length));
}

function heatTable(doc, grid, metric) {
  const shapes = distinct(grid.indexes.map((i) => `${grid.cells[i].keys}/${grid.cells[i].size_ms}/${grid.cells[i].slide_ms}`))
    .map((key) => key.split("/").map(Number)).sort((a, b) => a[0] - b[0] || a[1] / a[2] - b[1] / b[2]);
  const find = (strategy, [keys, size, slide]) => grid.indexes.find((i) => grid.cells[i].strategy === strategy &&
    grid.cells[i].keys === keys && grid.cells[i].size_ms === size && grid.cells[i].slide_ms === slide);
  const values = grid.indexes.map((i) => cellFigure(doc, i, ...metric.path)).filter(isNumber).map((figure) => figure.value);
  const logs = values.filter((value) => value > 0).map(Math.log);
  const low = Math.min(...logs), high = Math.max(...logs);
  const shade = (value) => value <= 0 || high === low ? 0 : Math.round(6 + 40 * (Math.log(value) - low) / (high - low));
  const top = element("tr", {}, element("th", {scope: "col"}, ""), grid.keys.map((keys) => element("th",
    {scope: "colgroup", class: "group", colspan: shapes.filter((shape) => shape[0] === keys).length}, `${written(keys, "count")} keys`)));
  const head = element("tr", {}, element("th", {scope: "col"}, "size / slide"), shapes.map(([, size, slide]) =>
    element("th", {scope: "col"}, `${written(size, "span")} / ${written(slide, "span")}`)));
  const bests = shapes.map((shape) => {
    const there = grid.strategies.map((strategy) => find(strategy, shape)).filter((i) => i !== undefined)
      .map((i) => cellFigure(doc, i, ...metric.path)).filter(isNumber).map((figure) => figure.value);
    return metric.better === "higher" ? Math.max(...there) : Math.min(...there);
  });
  const rows = grid.strategies.map((strategy) => element("tr", {}, element("th", {scope: "row"}, strategy), shapes.map((shape, s) => {
    const i = find(strategy, shape);
    if (i === undefined) return element("td", {class: "absent"}, "–");
    if (grid.cells[i].refused) return element("td", {class: "absent", title: grid.cells[i].refused}, "cannot");
    const figure = cellFigure(doc, i, ...metric.path);
    if (!isNumber(figure)) return element("td", {class: "absent"}, "–");
    return show(figure, metric.unit, "td", {class: figure.value === bests[s] ? "best" : undefined,
      style: `background: color-mix(in srgb, var(--heat) ${shade(figure.value)}%, var(--card))`});
  })));
  return scrolling(`Strategy matrix: ${metric.title}`, element("table", {class: "heat"},
    element("caption", {}, element("span", {}, `${metric.title[0].toUpperCase()}${metric.title.slice(1)}; a stronger shade is more, bold is best of its column (${metric.better} is better)`)),
    element("thead", {}, top, head), element("tbody", {}, rows)));
}

function choice(label, names, changed) {
  const list = element("select", {}, names.map((name, i) => element("option", {value: i}, name)));
  list.addEventListener("change", () => changed(Number(list.value)));
  return element("label", {}, label, list);
}

function strategyMatrix(doc, grid) {
  const there = kMetrics.filter((metric) => grid.indexes.some((i) => isNumber(cellFigure(doc, i, ...metric.path))));
  if (there.length === 0) return null;
  const place = element("div", {}, heatTable(doc, grid, there[0]));
  return card("Strategy matrix", "All strategies on one and the same stream.",
    choice("Show", there.map((metric) => metric.title), (i) => place.replaceChildren(heatTable(doc, grid, there[i]))), place,
    ...distinct(grid.all.filter((cell) => cell.refused).map((cell) => `${cell.strategy}: ${cell.refused}`))
      .map((text) => element("p", {class: "note"}, text)));
}

// State over event time, where the time goes, and the largest keys: for one shape, by choice.
function shapeDetail(doc, grid, shape, prefix) {
  const indexes = grid.indexes.filter((i) => shapeName(grid.cells[i]) === shape);
  const number = (i) => grid.strategies.indexOf(grid.cells[i].strategy);
  const timed = indexes.filter((i) => (grid.cells[i].state_over_event_time || []).length > 0);
  const shared = indexes.filter((i) => grid.cells[i].time_share);
  const content = [];
  if (timed.length > 0) {
    const start = (i, n) => {
      const time = cellFigure(doc, i, "state_over_event_time", n, 0);
      const first = cellFigure(doc, i, "state_over_event_time", 0, 0);
      return {value: time.value - first.value, from: [...time.from, ...first.from], rule: "difference"};
    };
    content.push(element("h4", {}, "State bytes over event time"),
      linePlot(`${prefix}-state`, `State bytes over event time, ${shape}, a line per strategy`, {
        series: () => timed.map((i) => ({label: grid.cells[i].strategy, number: number(i),
          points: grid.cells[i].state_over_event_time.map((_, n) => ({x: start(i, n), y: cellFigure(doc, i, "state_over_event_time", n, 1)}))})),
        marks: false, x: {title: "event time since the first row", unit: "span", zero: true},
        y: {title: "state bytes", unit: "bytes", zero: true},
      }),
      table("At the end of the stream", [{title: "Strategy"}, {title: "Event time", unit: "ms"}, {title: "State", unit: "bytes"}, {title: "Live entries"}],
        timed.map((i) => { const n = grid.cells[i].state_over_event_time.length - 1;
          return [grid.cells[i].strategy, start(i, n), cellFigure(doc, i, "state_over_event_time", n, 1), cellFigure(doc, i, "state_over_event_time", n, 2)]; })));
  }
  if (shared.length > 0) {
    content.push(element("h4", {}, "Where the time goes"), plot(`${prefix}-time`, `Share of time by phase, ${shape}`, (narrow) => ({
      type: "bar",
      data: {labels: shared.map((i) => grid.cells[i].strategy), datasets: kPhases.map((phase, p) => ({
        label: phase, backgroundColor: colour("series-" + (phase === "other" ? 8 : p + 1)), borderColor: colour("series-" + (phase === "other" ? 8 : p + 1)),
        maxBarThickness: 26, data: shared.map((i) => grid.cells[i].time_share[phase] ?? 0), of: shared.map((i) => cellFigure(doc, i, "time_share", phase))}))},
      options: chartOptions(narrow, {series: [], endLabelsShown: false, legend: true,
        x: {...axis({title: "share of time", unit: "%", max: 1, min: 0, few: narrow}), stacked: true},
        y: {stacked: true, grid: {display: false}, ticks: {color: colour("ink")}},
        tooltip: {label: (item) => `${item.dataset.label}: ${written(item.raw, "%")}`},
        extra: {indexAxis: "y"}}),
    }), 110 + 34 * shared.length),
    table("Share of time by phase", [{title: "Strategy"}, ...kPhases.map((title) => ({title, unit: "%"}))],
      shared.map((i) => [grid.cells[i].strategy, ...kPhases.map((phase) => cellFigure(doc, i, "time_share", phase))])));
  }
  const top = indexes.find((i) => (grid.cells[i].top_keys || []).length > 0);
  if (top !== undefined) {
    content.push(table(`Keys that hold most state (${grid.cells[top].strategy})`, [{title: "Key"}, {title: "Entries"}, {title: "State", unit: "bytes"}],
      grid.cells[top].top_keys.map((_, n) => [at(doc, "cells", top, "top_keys", n, "key"), cellFigure(doc, top, "top_keys", n, "entries"),
        cellFigure(doc, top, "top_keys", n, "state_bytes")]).map(([key, ...rest]) => [String(key.value), ...rest])));
  }
  return content;
}

function shapeCard(doc, grid) {
  const shapes = distinct(grid.indexes.filter((i) => (grid.cells[i].state_over_event_time || []).length > 0 || grid.cells[i].time_share)
    .map((i) => shapeName(grid.cells[i])));
  if (shapes.length === 0) return null;
  const place = element("div", {}, shapeDetail(doc, grid, shapes.at(-1), `shape-${doc.index}`));
  const picker = choice("Show", shapes, (i) => {
    place.replaceChildren(...shapeDetail(doc, grid, shapes[i], `shape-${doc.index}`));
    drawCharts();
  });
  picker.querySelector("select").value = shapes.length - 1;
  return card("One window and key count in detail", null, picker, place);
}

function predictionTable(doc, grid) {
  const pairs = [["updates_per_row", "updates per row", "number"], ["merges_per_slide", "merges per slide", "number"],
                 ["live_entries", "live entries", "count"], ["state_bytes", "state", "bytes"]];
  const columns = [{title: "Strategy"}, {title: "Size", unit: "span"}, {title: "Slide", unit: "span"}, {title: "Keys"},
                   ...pairs.flatMap(([, title, unit]) => [{title: title + ", predicted", unit}, {title: "measured", unit}])];
  const rows = grid.indexes.filter((i) => grid.cells[i].predicted).map((i) => [grid.cells[i].strategy, cellFigure(doc, i, "size_ms"),
    cellFigure(doc, i, "slide_ms"), cellFigure(doc, i, "keys"),
    ...pairs.flatMap(([name]) => [cellFigure(doc, i, "predicted", name), cellFigure(doc, i, name)])]);
  if (rows.length === 0) return null;
  return card("Prediction beside measurement", "What the cost model says of each cell, and what was counted.",
              folded(`Table of ${rows.length} cells`, table("Predicted and measured", columns, rows), rows.length));
}

// How many times less a strategy does and holds than one state per window would, against how dense
// keys are: work is saved where many rows share a pane, entries where few do.
function savingsDetail(doc, strategy, id) {
  const savings = doc.content.savings;
  const order = savings.map((_, i) => i).filter((i) => savings[i].strategy === strategy)
    .sort((a, b) => savings[a].rows_per_key_and_slide - savings[b].rows_per_key_and_slide);
  const figure = (i, name) => at(doc, "savings", i, name);
  const columns = [{title: "Size", unit: "span"}, {title: "Slide", unit: "span"}, {title: "Keys"}, {title: "Rows per key and slide", unit: "number"},
                   {title: "Work, times less", unit: "number"}, {title: "Entries, times fewer", unit: "number"}, {title: "Allocated, times less", unit: "number"}];
  const names = ["size_ms", "slide_ms", "keys", "rows_per_key_and_slide", "work", "entries", "allocated"];
  return [linePlot(id, `What ${strategy} saves against buckets, by rows per key and slide`, {
    series: () => ["work", "entries"].map((label) => ({label, points: order.filter((i) => isNumber(figure(i, label)))
      .map((i) => ({x: figure(i, "rows_per_key_and_slide"), y: figure(i, label)}))})),
    lineless: true, x: {title: "rows per key and slide", log: true, unit: "number"}, y: {title: "times less than buckets", log: true, unit: "number"},
    lines: [{axis: "y", value: 1}],
  }), table(`Saved by ${strategy}`, columns, order.map((i) => names.map((name) => figure(i, name))))];
}

function savingsCard(doc) {
  const strategies = distinct((doc.content.savings || []).map((one) => one.strategy));
  if (strategies.length === 0) return null;
  const start = Math.max(0, strategies.indexOf("two-stacks"));
  const detail = (i) => savingsDetail(doc, strategies[i], `savings-${doc.index}`);
  const place = element("div", {}, detail(start));
  const picker = choice("Show", strategies, (i) => {
    place.replaceChildren(...detail(i));
    drawCharts();
  });
  picker.querySelector("select").value = start;
  return card("What sharing saves", "Against one state per window (buckets). Dense keys, on the right, save work; only sparse ones, on the left, save entries and bytes.",
              picker, place);
}

function profileSection(doc) {
  const cells = doc.content.cells || [];
  const indexes = cells.map((_, i) => i).filter((i) => !cells[i].refused || isNumber(cellFigure(doc, i, "rows_per_second")));
  const grid = {all: cells, cells, indexes: cells.map((_, i) => i), keys: distinct(cells.map((cell) => cell.keys)).sort((a, b) => a - b),
                strategies: distinct(cells.map((cell) => cell.strategy))};
  const lead = element("p", {class: "lead"}, `${indexes.length} cells: ${grid.strategies.join(", ")}`);
  if (cells.length === 0) return [lead];
  return [lead,
    overlapPlots(doc, grid, "throughput-overlap", "Throughput against size / slide",
      "How far strategies keep their pace as more windows overlap.",
      {title: "rows/s", unit: "short", log: true, column: "Throughput"}, "rows_per_second"),
    strategyMatrix(doc, grid),
    overlapPlots(doc, grid, "state-overlap", "State against size / slide", "Logical bytes of window state at their peak.",
      {title: "state bytes", unit: "bytes", log: true, column: "State"}, "state_bytes"),
    savingsCard(doc),
    shapeCard(doc, grid),
    predictionTable(doc, grid)];
}
