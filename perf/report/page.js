// Puts the page together from the documents that it holds.

const kSections = {
  "tidemark-bench": {title: "Bench", make: benchSection},
  "tidemark-profile": {title: "State profile", make: profileSection},
  "tidemark-compare": {title: "Comparison", make: compareSection},
  "tidemark-history": {title: "History", make: historySection},
};

function documentsOfPage() {
  return [...document.querySelectorAll("script[data-document]")].map((script, index) =>
    ({index, name: script.dataset.document, content: JSON.parse(script.textContent)}));
}

function sectionOf(doc, alone) {
  const kind = kSections[String(doc.content.schema).split("/")[0]];
  const {machine, build, options} = doc.content;
  return element("article", {id: `document-${doc.index}`, "aria-labelledby": `title-${doc.index}`},
    element(alone ? "h1" : "h2", {id: `title-${doc.index}`}, alone ? `Tidemark ${kind.title.toLowerCase()}` : `${kind.title}: ${doc.name}`),
    kind.make(doc).filter(Boolean),
    element("div", {class: "card"}, element("h3", {}, "How it was measured"),
      machine ? facts("Machine", machine) : null, build ? facts("Build", build) : null, options ? facts("Options", options) : null,
      element("p", {class: "note"}, `${doc.name}, ${doc.content.schema}`)));
}

function makePage() {
  const docs = documentsOfPage();
  const report = document.getElementById("report");
  const alone = docs.length === 1;
  const head = alone ? [] : [element("h1", {}, "Tidemark report"), element("nav", {"aria-label": "Documents"}, docs.map((doc) =>
    element("a", {href: `#document-${doc.index}`}, `${kSections[String(doc.content.schema).split("/")[0]].title}: ${doc.name}`)))];
  report.replaceChildren(...head, ...docs.map((doc) => sectionOf(doc, alone)));
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 13;
  drawCharts();
}

makePage();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
// A chart whose width crosses the line between phone and desk is laid out anew.
addEventListener("resize", () => {
  for (const drawn of drawnCharts) {
    if (drawn.narrow !== (drawn.canvas.parentElement.clientWidth < 520)) drawn.draw();
  }
});
document.documentElement.dataset.drawn = drawnCharts.length;
