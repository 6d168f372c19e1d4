// A document of `tidemark bench`.

const kLatencies = [
  ["event_time_to_result", "event time to result", "from when the window's newest row was due, the last whose turn comes before the window's end"],
  ["hand_over_to_result", "hand-over to result", "from when the batch with that row was handed over"],
  ["watermark_to_result", "watermark to result", "from when the watermark that completes the window had entered on every partition"],
];
const kPercentiles = [["p50", 50], ["p90", 90], ["p99", 99], ["p99.9", 99.9], ["p99.99", 99.99]];

function benchTiles(doc) {
  const {throughput, latency, state, checks} = doc.content;
  const tiles = [];
  if (throughput) {
    const rate = (name) => at(doc, "throughput", "rows_per_second", name);
    tiles.push(tile("Throughput, median", show(rate("median"), "rows/s"),
                    [show(rate("min"), "rows/s"), " to ", show(rate("max"), "rows/s")]));
  }
  if (latency && latency.event_time_to_result) {
    const first = (name) => show(at(doc, "latency", "event_time_to_result", name), "ns");
    tiles.push(tile("Event time to result, p99", first("p99"),
                    ["p50 ", first("p50"), ", max ", first("max")]));
    const late = latency.rate_reached === false;
    tiles.push(tile("Offered rate", show(at(doc, "latency", "offered_rate"), "rows/s"),
                    late ? "not reached" : "held", late ? "bad" : undefined));
  }
  if (doc.content.rates) {
    tiles.push(tile("Highest sustained rate", show(at(doc, "rates", "highest_sustained"), "rows/s")));
  }
  if (state) {
    tiles.push(tile("State, peak", show(at(doc, "state", "peak_state_bytes"), "bytes"),
                    [show(at(doc, "state", "peak_live_entries"), "count"), " live entries"]));
  }
  if (checks) {
    tiles.push(tile("Results", checks.right ? "right" : "WRONG", checks.comparable === false ? "rows add up; sums not comparable" : "rows and checksums agree",
                    checks.right ? "good" : "bad"));
  }
  return element("div", {class: "tiles"}, tiles);
}

// x is 1 / (1 - p), drawn on a log axis, as HdrHistogram plots have it. The maximum has no place there.
function curvePoints(doc, name) {
  const curve = doc.content.latency[name].curve || [];
  return curve.flatMap(([percentile, ns], i) => {
    if (percentile >= 100 || ns === null) return [];
    const p = at(doc, "latency", name, "curve", i, 0);
    return [{x: {value: 100 / (100 - percentile), from: p.from, rule: "tail"}, y: at(doc, "latency", name, "curve", i, 1)}];
  });
}

function latencyTable(doc, caption, ...path) {
  const columns = [{title: "Latency"}, {title: "Results", unit: "count"},
                   ...["min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"].map((title) => ({title, unit: "ns"}))];
  const rows = kLatencies.filter(([name]) => at(doc, ...path, name).value).map(([name, label]) =>
    [label, at(doc, ...path, name, "count"), ...columns.slice(2).map(({title}) => at(doc, ...path, name, title))]);
  return table(caption, columns, rows);
}

function latencyCurve(doc) {
  const there = kLatencies.filter(([name]) => (doc.content.latency[name]?.curve || []).length > 0);
  if (there.length === 0) return card("Latency by percentile", "No result was recorded in this run.");
  return card("Latency by percentile",
    ["At an offered rate of ", show(at(doc, "latency", "offered_rate"), "rows/s"), ". Three latencies end when the sink has the result: ",
     there.map(([, label, what]) => `${label}, ${what}`).join("; "), "."],
    single(linePlot(`latency-curve-${doc.index}`, `Latency by percentile for ${there.map((one) => one[1]).join(", ")}; the table beneath has the same figures`, {
      series: () => there.map(([name, label]) => ({label, points: curvePoints(doc, name)})),
      marks: false,
      x: {title: "percentile of results", log: true, unit: "percentile", min: 1,
          ticks: [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6], fewTicks: [1, 10, 1e3, 1e5],
          told: (x) => shortPercentile(x)},
      y: {title: "latency", log: true, unit: "ns"},
    })),
    latencyTable(doc, "Latencies of single results; percentiles to three digits, the maximum exact", "latency"),
    element("p", {class: "note"}, "Rows were sent late by at most ", show(at(doc, "latency", "max_lag_ns"), "ns"),
            "; achieved rate ", show(at(doc, "latency", "achieved_rate"), "rows/s"), "."));
}

function shortPercentile(x) {
  return Number((100 - 100 / x).toPrecision(7)) + " %";
}
kWritten.percentile = shortPercentile;

function ratePlot(doc) {
  const steps = doc.content.rates.steps;
  const order = steps.map((step, i) => i).sort((a, b) => steps[a].offered_rate - steps[b].offered_rate);
  // A rate may have been tried again after a disturbance: the line goes through its better run.
  const p99 = (i) => steps[i].latency?.["p99"] ?? Infinity;
  const drawn = order.filter((i) => !order.some((other) => steps[other].offered_rate === steps[i].offered_rate &&
    (p99(other) < p99(i) || (p99(other) === p99(i) && other < i))));
  const path = (i, ...rest) => at(doc, "rates", "steps", i, ...rest);
  const shown = [["p50", "p50"], ["p99", "p99"], ["p99.9", "p99.9"], ["max", "max"]];
  const wide = steps[order.at(-1)].offered_rate > 20 * steps[order[0]].offered_rate;
  const best = doc.content.rates.highest_sustained;
  const columns = [{title: "Offered", unit: "rows/s"}, {title: "Achieved", unit: "rows/s"}, {title: "Sustained"},
                   ...["p50", "p90", "p99", "p99.9", "max"].map((title) => ({title, unit: "ns"})),
                   {title: "Backlog trend", unit: "rows/s"}, {title: "Why", text: true}];
  return card("Latency against offered rate",
    "A rate is sustained while latency stays within its bound and the backlog does not grow. Where a rate was tried again, the better run is drawn.",
    single(linePlot(`latency-rate-${doc.index}`, "Latency percentiles against the offered rate; the table beneath has the same figures", {
      series: () => shown.map(([name, label]) => ({label, points: drawn
        .filter((i) => isNumber(path(i, "latency", name)))
        .map((i) => ({x: path(i, "offered_rate"), y: path(i, "latency", name)}))})),
      x: {title: "offered rate, rows/s", unit: "short", zero: !wide, log: wide},
      y: {title: "latency", log: true, unit: "ns"},
      lines: best ? [{axis: "x", value: best, text: "highest sustained", colour: "muted"}] : [],
    })),
    folded(`Table of ${steps.length} rates`, table("Every rate that was tried", columns, order.map((i) => [
      path(i, "offered_rate"), path(i, "achieved_rate"), steps[i].sustained ? "yes" : "no",
      ...["p50", "p90", "p99", "p99.9", "max"].map((name) => path(i, "latency", name)),
      path(i, "backlog_rows_per_second"), steps[i].reason || ""])), steps.length));
}

function repeatTable(doc) {
  const passes = [...doc.content.throughput.repeats.map((pass, i) => [`repeat ${i + 1}`, "repeats", i]), ["one core", "one_core"]]
    .filter(([, ...path]) => at(doc, "throughput", ...path).value);
  const columns = [{title: "Pass"}, {title: "Cores"}, {title: "Rate", unit: "rows/s"}, {title: "Wall time", unit: "s"},
                   {title: "CPU share", unit: "%"}, {title: "Rows read"}, {title: "Late"}, {title: "Results"}];
  const names = ["cores", "rows_per_second", "wall_seconds", "cpu_share", "rows_read", "rows_late", "results"];
  return card("Throughput, pass by pass", "Each pass runs over the whole stream as fast as it goes.",
    single(plot(`throughput-${doc.index}`, "Rows per second of each pass; the table beneath has the same figures", (narrow) => ({
      type: "bar",
      data: {labels: passes.map(([label]) => label), datasets: [{
        label: "rows/s", backgroundColor: colour("series-1"), borderColor: colour("series-1"), maxBarThickness: 26,
        data: passes.map(([, ...path]) => at(doc, "throughput", ...path, "rows_per_second").value),
        of: passes.map(([, ...path]) => at(doc, "throughput", ...path, "rows_per_second"))}]},
      options: chartOptions(narrow, {series: [], endLabelsShown: false,
        x: axis({title: "rows/s", unit: "short", zero: true}),
        y: {grid: {display: false}, ticks: {color: colour("ink")}},
        tooltip: {label: (item) => written(item.raw, "rows/s")}, extra: {indexAxis: "y"}}),
    }), 70 + 34 * passes.length)),
    folded(`Table of ${passes.length} passes`, table("Passes", columns, passes.map(([label, ...path]) =>
      [label, ...names.map((name) => at(doc, "throughput", ...path, name))])), passes.length));
}

// Numbers of an object, one a row.
function numberTable(doc, caption, units, ...path) {
  const content = at(doc, ...path).value || {};
  const rows = Object.keys(content).filter((name) => typeof content[name] !== "object" || content[name] === null).map((name) => {
    const figure = at(doc, ...path, name);
    return [name.replaceAll("_", " "), typeof figure.value === "number" ? {...figure, unit: units(name)} : String(figure.value ?? "–")];
  });
  return table(caption, [{title: "Figure"}, {title: "Value"}], rows);
}

function unitByName(name) {
  if (/bytes/.test(name)) return "bytes";
  if (/_ns$|^ns_/.test(name)) return "ns";
  if (/share/.test(name)) return "%";
  return "count";
}

function suiteTable(doc) {
  const names = [...new Set(doc.content.suite.flatMap((one) => Object.keys(one.counters || {})))];
  const columns = [{title: "Case"}, {title: "Instructions", unit: "count"}, ...names.map((title) => ({title: title.replaceAll("_", " ")}))];
  return card("Suite", "Counters repeat exactly; instructions nearly so.", table("Cases of the suite", columns,
    doc.content.suite.map((one, i) => [one.name, at(doc, "suite", i, "instructions"),
      ...names.map((name) => at(doc, "suite", i, "counters", name))])));
}

function benchSection(doc) {
  const {options = {}, latency, rates, throughput, state, counters, suite} = doc.content;
  const parts = [element("p", {class: "lead"}, [options.window, options.keys !== undefined ? `${written(options.keys, "count")} keys` : null,
    (options.aggregates || []).join(", "), options.cores ? `${options.cores} cores` : null].filter(Boolean).join(" · ")), benchTiles(doc)];
  if (latency) parts.push(latencyCurve(doc));
  if (rates && rates.steps && rates.steps.length > 0) parts.push(ratePlot(doc));
  if (throughput && throughput.repeats) parts.push(repeatTable(doc));
  if (suite) parts.push(suiteTable(doc));
  if (state || counters) {
    parts.push(card("State and counters", "These do not depend on timing: the same job gives the same numbers.",
      element("div", {class: "plots"}, [["state", "State"], ["counters", "Counters"], ["recorder", "The recorder's own cost"]]
        .filter(([name]) => doc.content[name]).map(([name, caption]) => element("div", {}, numberTable(doc, caption, unitByName, name))))));
  }
  return parts;
}
