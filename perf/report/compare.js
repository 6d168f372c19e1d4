// A document of `tidemark compare`, and histories.

const kVerdicts = {regressed: "bad", improved: "good", missing: "bad", invalid: "bad"};
const kMostHistories = 24;

function verdictTiles(doc) {
  const {verdict, figures = [], options = {}} = doc.content;
  const count = (name) => figures.filter((figure) => figure.verdict === name).length;
  const said = {same: "no change", regressed: "regressed", improved: "improved", not_comparable: "not comparable"};
  return element("div", {class: "tiles"},
    tile("Verdict", said[verdict] || verdict, null, verdict === "regressed" || verdict === "not_comparable" ? "bad" : verdict === "improved" ? "good" : undefined),
    tile("Regressions", element("span", {"data-count": "regressed"}, String(count("regressed"))), `of ${figures.length} figures`, count("regressed") ? "bad" : undefined),
    tile("Improvements", element("span", {"data-count": "improved"}, String(count("improved"))), null, count("improved") ? "good" : undefined),
    tile("Smallest change that counts", show(at(doc, "options", "threshold"), "%"), ["at alpha ", show(at(doc, "options", "alpha"), "number")]));
}

function worse(figure) {
  return figure.verdict === "regressed" ? 0 : figure.verdict === "improved" ? 1 : 2;
}

function changePlot(doc, order) {
  const figures = doc.content.figures;
  const shown = order.filter((i) => isNumber(at(doc, "figures", i, "change")) &&
    (figures[i].change !== 0 || figures[i].verdict !== "same")).slice(0, 40);
  if (shown.length === 0) return null;
  const threshold = doc.content.options?.threshold;
  const short = (name, narrow) => narrow && name.length > 20 ? name.slice(0, 9) + "…" + name.slice(-10) : name;
  return single(plot(`change-${doc.index}`, "Change of each figure from base to new, in per cent; the table beneath has the same figures", (narrow) => ({
    type: "bar",
    data: {labels: shown.map((i) => short(figures[i].name, narrow)), datasets: [{
      label: "change", maxBarThickness: 18, minBarLength: 2,
      backgroundColor: shown.map((i) => colour(kVerdicts[figures[i].verdict] || "series-8")),
      borderColor: colour("series-8"),
      data: shown.map((i) => figures[i].change), of: shown.map((i) => at(doc, "figures", i, "change"))}]},
    options: chartOptions(narrow, {series: [], endLabelsShown: false,
      lines: isNumber(at(doc, "options", "threshold")) ? [{axis: "x", value: threshold}, {axis: "x", value: -threshold}] : [],
      x: axis({title: "change from base to new", unit: "change", few: narrow, zero: true}),
      y: {grid: {display: false}, ticks: {color: colour("ink"), autoSkip: false, font: {size: narrow ? 11 : 12}}},
      tooltip: {title: (items) => figures[shown[items[0].dataIndex]].name, label: (item) => written(item.raw, "change")},
      extra: {indexAxis: "y"}}),
  }), 80 + 26 * shown.length));
}

function figureTable(doc, order) {
  const columns = [{title: "Figure"}, {title: "Base"}, {title: "New"}, {title: "Change", unit: "change"},
                   {title: "Runs"}, {title: "p", unit: "number"}, {title: "Verdict"}, {title: "Why", text: true}];
  return table("All figures, regressions first", columns, order.map((i) => {
    const figure = doc.content.figures[i];
    const side = (name) => ({...at(doc, "figures", i, name, "median"), unit: figure.unit});
    return [figure.name, side("base"), side("new"), at(doc, "figures", i, "change"),
      element("span", {}, show(at(doc, "figures", i, "base", "count"), "count"), " / ", show(at(doc, "figures", i, "new", "count"), "count")), at(doc, "figures", i, "p_value"),
      element("span", {class: kVerdicts[figure.verdict]}, figure.verdict), figure.reason || ""];
  }));
}

// Where `changes` are the change points of this figure: {index, figure(name) -> figure}.
function historyPlot(id, name, unit, better, points, changes) {
  const whole = unit ? `${name}, ${unit}` : name;
  return element("div", {}, element("h4", {}, name), plot(id, `History of ${whole}, ${points.length} runs, ${changes.length} change points`, (narrow) => {
    const at = (change) => points[change.index];
    // Noise of a few per cent should look like a few per cent.
    const values = points.map((point) => point.figure.value);
    const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
    const span = {suggestedMin: middle - 0.05 * Math.abs(middle), suggestedMax: middle + 0.05 * Math.abs(middle)};
    return {
      type: "line",
      data: {labels: points.map((point) => String(point.time).slice(0, 10)), datasets: [
        {label: name, data: points.map((point) => point.figure.value), of: points.map((point) => point.figure),
         borderColor: colour("series-1"), backgroundColor: colour("series-1"), borderWidth: 1.5, pointRadius: 2.5},
        {label: "change point", data: points.map((point, i) => changes.some((change) => change.index === i) ? point.figure.value : null),
         of: points.map((point) => point.figure), showLine: false, pointStyle: "triangle", pointRadius: 8, pointHoverRadius: 9,
         borderColor: colour("series-2"), backgroundColor: colour("series-2")}]},
      options: chartOptions(narrow, {series: [], endLabelsShown: false,
        lines: changes.filter(at).map((change) => ({axis: "x", value: change.index, colour: "series-2",
          text: written((change.after - change.before) / Math.abs(change.before), "change")})),
        x: {grid: {display: false}, title: {display: true, text: "run, by date", color: colour("muted")},
            ticks: {color: colour("muted"), maxRotation: 0, autoSkipPadding: 16}},
        y: axis({...span, title: {ns: "time", us: "time", ms: "time", s: "time", bytes: "size"}[unit] || unit || "value", unit: kWritten[unit] ? (unit === "rows/s" ? "short" : unit) : "short"}),
        tooltip: {title: (items) => `${points[items[0].dataIndex].time} ${points[items[0].dataIndex].commit ?? ""}`,
                  label: (item) => writtenWithUnit(item.raw, unit) + (better ? ` (${better} is better)` : "")}}),
    };
  }));
}

function changeTable(doc) {
  const changes = doc.content.change_points || [];
  if (changes.length === 0) return element("p", {class: "note"}, "No change points were found.");
  const units = Object.fromEntries((doc.content.history?.figures || []).map((figure) => [figure.name, figure.unit]));
  return table("Change points", [{title: "Figure"}, {title: "From"}, {title: "Commit"}, {title: "Before"}, {title: "After"}, {title: "p", unit: "number"}],
    changes.map((change, i) => [change.figure, change.time, change.commit, {...at(doc, "change_points", i, "before"), unit: units[change.figure]},
      {...at(doc, "change_points", i, "after"), unit: units[change.figure]}, at(doc, "change_points", i, "p_value")]));
}

function historyCards(doc, histories, changes, more) {
  if (histories.length === 0) return [];
  const shown = [...histories].sort((a, b) => changes(b).length - changes(a).length).slice(0, kMostHistories);
  const plots = shown.map((one, k) => historyPlot(`history-${doc.index}-${k}`, one.name, one.unit, one.better, one.points, changes(one)));
  const rows = shown.flatMap((one) => one.points.map((point) => [one.name, point.time, point.commit, {...point.figure, unit: one.unit}]));
  const left = histories.length - shown.length;
  return [card("History", "A triangle marks the first run of a new level; drift that no single comparison shows is found here." +
      (left > 0 ? ` ${left} more figures are in the document.` : ""),
    element("div", {class: "plots" + (plots.length > 1 ? "" : " single")}, plots), more,
    folded(`Table of ${rows.length} values`, table("Values, in the order of the runs", [{title: "Figure"}, {title: "Time"}, {title: "Commit"}, {title: "Value"}], rows), rows.length))];
}

function compareSection(doc) {
  const {figures = [], base = {}, history} = doc.content;
  const order = figures.map((_, i) => i).sort((a, b) => worse(figures[a]) - worse(figures[b]) || a - b);
  const histories = (history?.figures || []).map((one, h) => ({name: one.name, unit: one.unit, better: one.better,
    points: one.points.map(([time, commit], i) => ({time, commit, figure: at(doc, "history", "figures", h, "points", i, 2)}))
      .filter((point) => isNumber(point.figure))}));
  const changes = (one) => (doc.content.change_points || []).filter((change) => change.figure === one.name);
  const {not_comparable, wrong, notes = []} = doc.content;
  const said = [not_comparable, wrong, ...notes].filter(Boolean).map((text) => element("p", {class: "note"}, text));
  return [element("p", {class: "lead"}, `${base.path ?? "base"} against ${doc.content.new?.path ?? "new"}`), verdictTiles(doc),
    said.length > 0 ? card("To be known", null, said) : null,
    figures.length > 0 ? card("Change of each figure", "Dashed lines: the smallest change of a timing that counts. Grey bars are within noise; figures that are equal have none.",
      changePlot(doc, order), folded(`Table of ${figures.length} figures`, figureTable(doc, order), figures.length)) : null,
    ...historyCards(doc, histories, changes, changeTable(doc))];
}

// A history file: one run a line.
function historySection(doc) {
  const runs = doc.content.runs;
  const names = distinct(runs.flatMap((run) => (run.figures || []).map((figure) => figure.name)));
  const histories = names.map((name) => {
    const points = runs.flatMap((run, r) => {
      const f = (run.figures || []).findIndex((figure) => figure.name === name);
      return f < 0 ? [] : [{time: run.time, commit: run.commit, figure: at(doc, "runs", r, "figures", f, "value"), of: run.figures[f]}];
    }).filter((point) => isNumber(point.figure));
    return {name, unit: points[0]?.of.unit, better: points[0]?.of.better, points};
  }).filter((one) => one.points.length > 0);
  return [element("p", {class: "lead"}, `${runs.length} runs`), ...historyCards(doc, histories, () => [], null)];
}
