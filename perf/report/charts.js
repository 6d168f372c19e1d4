// Charts in the colours of the page. Each is drawn from series of points, and beneath it stands a
// table of the same figures.

const drawnCharts = [];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function isNarrow(chart) {
  return chart.width < 520;
}

// Names at the ends of lines, pushed apart where lines end together; on a phone the legend stands in.
const endLabels = {
  id: "endLabels",
  afterDatasetsDraw(chart) {
    if (!chart.options.plugins.endLabels.shown || isNarrow(chart)) return;
    const labels = [];
    chart.data.datasets.forEach((dataset, i) => {
      const last = chart.getDatasetMeta(i).data.filter((point) => !point.skip).at(-1);
      if (last) labels.push({text: dataset.label, y: last.y, from: {x: last.x, y: last.y}, colour: dataset.borderColor});
    });
    labels.sort((a, b) => a.y - b.y);
    const {top, bottom, right} = chart.chartArea;
    for (let i = 0; i < labels.length; ++i) labels[i].y = Math.max(labels[i].y, i === 0 ? top + 6 : labels[i - 1].y + 15);
    let floor = bottom - 2;
    for (let i = labels.length; i-- > 0; floor -= 15) labels[i].y = Math.min(labels[i].y, floor);
    const context = chart.ctx;
    context.save();
    context.font = "13px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    for (const label of labels) {
      context.fillStyle = context.strokeStyle = label.colour;
      context.fillText(label.text, right + 10, label.y);
      // A line that ends early, or whose name had to move, is led to it.
      if (right - label.from.x < 12 && Math.abs(label.y - label.from.y) < 8) continue;
      context.globalAlpha = 0.35;
      context.beginPath();
      context.moveTo(label.from.x + 6, label.from.y);
      context.lineTo(right + 7, label.y);
      context.stroke();
      context.globalAlpha = 1;
    }
    context.restore();
  },
};

// Lines across the plot: {axis, value, text, colour}.
const guides = {
  id: "guides",
  beforeDatasetsDraw(chart) {
    const {top, bottom, left, right} = chart.chartArea;
    const context = chart.ctx;
    context.save();
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.setLineDash([4, 4]);
    for (const guide of chart.options.plugins.guides.lines || []) {
      const where = chart.scales[guide.axis].getPixelForValue(guide.value);
      context.strokeStyle = context.fillStyle = colour(guide.colour || "muted");
      context.beginPath();
      if (guide.axis === "x") {
        if (where < left || where > right) continue;
        context.moveTo(where, top);
        context.lineTo(where, bottom);
      } else {
        context.moveTo(left, where);
        context.lineTo(right, where);
      }
      context.stroke();
      if (guide.text) context.fillText(guide.text, where + 5 + context.measureText(guide.text).width <= right ? where + 5 : where - 5 - context.measureText(guide.text).width, top + 12);
    }
    context.restore();
  },
};

const kTimeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5,
                    18e5, 36e5, 72e5, 216e5, 432e5, 864e5];

// Round numbers of bytes are powers of two; those of time go by 60 and 24. Nothing: as for any number.
function roundTicks(unit, log, low, high) {
  if (unit === "bytes" && log) {
    const first = Math.floor(Math.log2(low)), last = Math.ceil(Math.log2(high));
    const stride = Math.max(1, Math.ceil((last - first) / 6));
    return Array.from({length: Math.ceil((last - first) / stride) + 1}, (_, i) => 2 ** (first + i * stride));
  }
  if (log || (unit !== "bytes" && unit !== "span")) return undefined;
  const step = unit === "bytes" ? 2 ** Math.max(0, Math.ceil(Math.log2((high - low) / 6)))
                                : kTimeSteps.find((one) => (high - low) / one <= 7) || 864e5 * Math.ceil((high - low) / 864e5 / 7);
  return Array.from({length: Math.floor((high - low) / step) + 1}, (_, i) => low + i * step);
}

function isPowerOfTen(value) {
  return Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
}

function axis({title, log = false, unit = "count", ticks, zero = false, few = false, min, max, suggestedMin, suggestedMax}) {
  return {
    type: log ? "logarithmic" : "linear",
    title: {display: true, text: title, color: colour("muted")},
    beginAtZero: zero,
    ...(min === undefined ? {} : {min}),
    ...(max === undefined ? {} : {max}),
    ...(suggestedMin === undefined ? {} : {suggestedMin, suggestedMax}),
    grid: {color: colour("grid"), drawTicks: false, borderColor: colour("line")},
    afterBuildTicks: (scale) => {
      const wanted = ticks || roundTicks(unit, log, scale.min, scale.max);
      if (wanted) scale.ticks = wanted.filter((value) => value >= scale.min * 0.999 && value <= scale.max * 1.001)
        .map((value) => ({value}));
    },
    ticks: {
      color: colour("muted"), padding: 6, maxRotation: 0, autoSkipPadding: 10, maxTicksLimit: log ? 40 : few ? 4 : 7,
      callback: (value) => log && ticks === undefined && unit !== "bytes" && !isPowerOfTen(value) ? null : writtenOnAxis(value, unit),
    },
  };
}

const kDashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [1, 2], [6, 2, 1, 2]];
const kMarks = ["circle", "rectRot", "triangle", "rect", "star", "crossRot", "cross", "rectRounded"];

// series: {label, points: [{x: figure, y: figure}], number}; the number chooses colour and marks.
function lineData(series, marks = true) {
  return series.map((one, i) => {
    const n = (one.number ?? i) % 8;
    const stroke = colour("series-" + (n + 1));
    return {
      label: one.label,
      data: one.points.map((point) => ({x: point.x.value, y: point.y.value, of: point})),
      borderColor: stroke, backgroundColor: stroke, borderWidth: 2, borderDash: kDashes[n],
      pointStyle: kMarks[n], pointRadius: marks ? 4 : 0, pointHoverRadius: 5, clip: 8,
    };
  });
}

function labelRoom(series, shown) {
  if (!shown) return 20;
  const context = document.createElement("canvas").getContext("2d");
  context.font = "13px system-ui, 'DejaVu Sans', sans-serif";
  return 14 + Math.max(0, ...series.map((one) => context.measureText(one.label).width));
}

// Options that all charts have in common.
function chartOptions(narrow, {series, x, y, tooltip, endLabelsShown = true, legend = false, lines = [], extra = {}}) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false,
    interaction: {mode: "nearest", axis: "xy", intersect: false},
    layout: {padding: {right: narrow ? 20 : labelRoom(series, endLabelsShown), top: 8}},
    scales: {x, y},
    plugins: {
      legend: {display: legend || (endLabelsShown && narrow), position: "bottom", align: "start",
               labels: {color: colour("ink"), usePointStyle: true, boxWidth: 8, boxHeight: 7, padding: 12}},
      endLabels: {shown: endLabelsShown}, guides: {lines},
      tooltip: {callbacks: tooltip, backgroundColor: colour("ink"), titleColor: colour("page"), bodyColor: colour("page")},
    },
    ...extra,
  };
}

// `config(narrow)` makes type, data and options in the colours of the moment.
function plot(id, label, config, height) {
  const canvas = element("canvas", {id, role: "img", "aria-label": label});
  const box = element("div", {class: "plot", style: height ? `height:${height}px` : undefined}, canvas);
  const drawn = {id, canvas, config, chart: null, narrow: false};
  drawn.draw = () => {
    drawn.narrow = box.clientWidth < 520;
    if (drawn.chart) drawn.chart.destroy();
    drawn.chart = new Chart(canvas, {...config(drawn.narrow), plugins: [endLabels, guides]});
  };
  drawnCharts.push(drawn);
  return box;
}

function linePlot(id, label, options) {
  return plot(id, label, (narrow) => {
    const series = options.series();
    return {
      type: "line",
      data: {datasets: lineData(series, options.marks !== false).map((one) => ({...one, showLine: !options.lineless}))},
      options: chartOptions(narrow, {
        series, x: axis({...options.x, ticks: (narrow && options.x.fewTicks) || options.x.ticks}), y: axis(options.y), lines: options.lines, endLabelsShown: options.endLabelsShown,
        tooltip: {
          title: (items) => options.x.title.replace(/,.*/, "") + " " + (options.x.told || ((v) => written(v, options.x.unit)))(items[0].raw.x),
          label: (item) => item.dataset.label + ": " + written(item.raw.y, options.y.unit),
        },
      }),
    };
  });
}

// Draws all charts of the page, and forgets those that have left it.
function drawCharts() {
  for (let i = drawnCharts.length; i-- > 0;) {
    if (drawnCharts[i].canvas.isConnected) continue;
    if (drawnCharts[i].chart) drawnCharts[i].chart.destroy();
    drawnCharts.splice(i, 1);
  }
  for (const drawn of drawnCharts) drawn.draw();
}

// A card: title, a sentence on how to read it, charts, and tables beneath.
function card(title, text, ...content) {
  return element("section", {class: "card"}, element("h3", {}, title),
                 text ? element("p", {class: "note"}, text) : null, ...content);
}

function single(...plots) {
  return element("div", {class: "plots single"}, plots.map((one) => element("div", {}, one)));
}

function tile(name, value, more, state) {
  return element("div", {class: "tile" + (state ? " " + state : "")}, element("div", {class: "name"}, name),
                 element("div", {class: "value"}, value), more ? element("div", {class: "more"}, more) : null);
}

// Names and texts: what a document says of its machine, build and options.
function facts(title, content) {
  const list = Object.entries(content || {}).flatMap(([name, value]) => [
    element("dt", {}, name.replaceAll("_", " ")),
    element("dd", {}, Array.isArray(value) ? value.join(", ") : value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? "–"))]);
  return element("details", {}, element("summary", {}, title), element("dl", {}, list));
}
