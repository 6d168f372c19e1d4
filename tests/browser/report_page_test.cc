// The report page in a real browser: what it draws, and that every number in it follows from the
// JSON that it was made of. With TIDEMARK_SCREENSHOTS=FOLDER pictures of the pages are kept there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "cli/run_command.h"
#include "support/headless_browser.h"
#include "support/test_paths.h"
#include "tidemark/perf/html_report.h"

namespace tidemark {
namespace {

using nlohmann::json;
using test_support::HeadlessBrowser;
using test_support::TemporaryFolder;

constexpr HeadlessBrowser::Screen kDesk{1100, false};
constexpr HeadlessBrowser::Screen kNight{1100, true};
constexpr HeadlessBrowser::Screen kPhone{390, false};

// Every number that the page says it shows, with where it is from; after each choice that the page
// offers.
constexpr const char* kShownNumbers = R"js((() => {
  const shown = [];
  const collect = () => {
    for (const one of document.querySelectorAll("[data-from]")) {
      const {value, unit, rule, from} = one.dataset;
      shown.push({value: Number(value), unit, rule, from: JSON.parse(from), text: one.textContent});
    }
  };
  collect();
  for (let i = 0; i < document.querySelectorAll("select").length; ++i) {
    const list = document.querySelectorAll("select")[i];
    for (const option of list.options) {
      list.value = option.value;
      list.dispatchEvent(new Event("change"));
      collect();
    }
  }
  return shown;
})())js";

// What charts draw: the figures behind their points.
constexpr const char* kDrawnPoints = R"js(drawnCharts.flatMap(({id, chart}) =>
  chart.data.datasets.flatMap((dataset) => dataset.data.flatMap((point, i) => {
    if (point === null) return [];
    const figures = dataset.of ? [[point, dataset.of[i]]] : [[point.x, point.of.x], [point.y, point.of.y]];
    return figures.map(([drawn, figure]) => ({chart: id, value: drawn, rule: figure.rule || "as is", from: figure.from}));
  }))))js";

// Cells with digits that do not say where they are from.
constexpr const char* kUnexplainedCells = R"js([...document.querySelectorAll("td, tbody th")]
  .filter((cell) => /\d/.test(cell.textContent) && !cell.dataset.from && !cell.querySelector("[data-from]"))
  .map((cell) => cell.textContent))js";

// Each series drawn alone, and how many pixels of the plot then have its colour.
constexpr const char* kMarks = R"js(drawnCharts.flatMap(({id, chart, canvas}) => {
  const rgb = (colour) => {
    const context = document.createElement("canvas").getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].join();
  };
  const scale = canvas.width / chart.width;
  return chart.data.datasets.map((dataset, d) => {
    chart.data.datasets.forEach((_, i) => chart.setDatasetVisibility(i, i === d));
    chart.update("none");
    const {left, top, width, height} = chart.chartArea;
    const pixels = chart.ctx.getImageData(left * scale, top * scale, width * scale + 4, height * scale + 4).data;
    const wanted = new Set([dataset.backgroundColor].flat().map(rgb));
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (wanted.has([pixels[i], pixels[i + 1], pixels[i + 2], pixels[i + 3]].join())) ++count;
    }
    chart.data.datasets.forEach((_, i) => chart.setDatasetVisibility(i, true));
    chart.update("none");
    return {chart: id, series: dataset.label, pixels: count, points: dataset.data.filter((point) => point !== null).length};
  });
}))js";

// Bar charts whose bars do not begin at zero.
constexpr const char* kBarsFromElsewhere = R"js(drawnCharts.filter(({chart}) =>
  chart.config.type === "bar" && (chart.scales.x.min > 0 || chart.scales.x.max < 0)).length)js";

// The lowest contrast of text and of lines with what is behind them, as WCAG 2 counts it.
constexpr const char* kContrasts = R"js((() => {
  const light = (name) => {
    const context = document.createElement("canvas").getContext("2d");
    context.fillStyle = colour(name);
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const series = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => "series-" + n);
  return {text: Math.min(...["ink", "muted", "good", "bad"].flatMap((name) => [contrast(name, "card"), contrast(name, "page")])),
          lines: Math.min(...series.map((name) => contrast(name, "card"))), card: light("card")};
})())js";

constexpr const char* kUnlabelled = R"js([
  ...[...document.querySelectorAll("canvas")].filter((c) => c.getAttribute("role") !== "img" || !c.getAttribute("aria-label")),
  ...[...document.querySelectorAll("table")].filter((t) => !t.caption || t.caption.textContent === "" || t.querySelector("th:not([scope])")),
  ...[...document.querySelectorAll("select")].filter((s) => s.labels.length !== 1),
  ...[...document.querySelectorAll("[role=region]")].filter((r) => !r.getAttribute("aria-label")),
].map((one) => one.outerHTML.slice(0, 200)))js";

const json& follow(const json& documents, const json& from) {
  const json* value = &documents.at(from.at("document").get<std::size_t>());
  for (const json& step : from.at("path")) {
    value = step.is_number() ? &value->at(step.get<std::size_t>())
                             : &value->at(step.get<std::string>());
  }
  return *value;
}

// What a number of the page has to be, by its rule.
double recomputed(const json& documents, const json& shown) {
  std::vector<double> inputs;
  for (const json& from : shown.at("from")) inputs.push_back(follow(documents, from));
  const std::string rule = shown.at("rule");
  if (rule == "as is" && inputs.size() == 1) return inputs[0];
  if (rule == "ratio" && inputs.size() == 2) return inputs[0] / inputs[1];
  if (rule == "difference" && inputs.size() == 2) return inputs[0] - inputs[1];
  if (rule == "tail" && inputs.size() == 1) return 100 / (100 - inputs[0]);
  ADD_FAILURE() << "no rule for " << shown;
  return NAN;
}

// What a text says, in the unit of the figure.
std::optional<double> read_text(std::string text, const std::string& unit) {
  static const std::map<std::string, std::map<std::string, double>> kFactors = [] {
    const std::map<std::string, double> durations = {{"ns", 1},  {"µs", 1e3},   {"ms", 1e6},
                                                     {"s", 1e9}, {"min", 6e10}, {"h", 3.6e12}};
    std::map<std::string, double> in_ms;
    std::map<std::string, double> in_seconds;
    for (const auto& [name, factor] : durations) {
      in_ms[name] = factor / 1e6;
      in_seconds[name] = factor / 1e9;
    }
    return std::map<std::string, std::map<std::string, double>>{
        {"ns", durations},
        {"ms", in_ms},
        {"span", in_ms},
        {"s", in_seconds},
        {"rows/s", {{"rows/s", 1}, {"k rows/s", 1e3}, {"M rows/s", 1e6}, {"G rows/s", 1e9}}},
        {"short", {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}},
        {"bytes", {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}}},
        {"%", {{"%", 0.01}}},
        {"change", {{"%", 0.01}}}};
  }();
  text = std::regex_replace(text, std::regex(",|\\+"), "");
  text = std::regex_replace(text, std::regex("−"), "-");
  std::smatch parts;
  static const std::regex kNumber("(-?[0-9.]+(?:e[-+]?[0-9]+)?) ?(.*)");
  if (!std::regex_match(text, parts, kNumber)) return std::nullopt;
  const double number = std::stod(parts[1]);
  const auto factors = kFactors.find(unit);
  if (factors == kFactors.end()) return number;
  // Zero has no unit to speak of.
  if (number == 0) return 0;
  const auto factor = factors->second.find(parts[2]);
  return factor == factors->second.end() ? std::nullopt : std::optional(number * factor->second);
}

void expect_shown_right(const json& documents, const json& shown) {
  const double value = recomputed(documents, shown);
  EXPECT_DOUBLE_EQ(shown.at("value").get<double>(), value) << shown;
  const std::optional<double> read = read_text(shown.at("text"), shown.at("unit"));
  ASSERT_TRUE(read) << shown;
  // Whole counts are written in full, everything else to three digits.
  const std::string unit = shown.at("unit");
  const bool whole = unit == "count" && value == std::floor(value);
  EXPECT_NEAR(*read, value, whole ? 0 : 0.0051 * std::abs(value)) << shown;
}

struct Pages {
  const char* name;
  std::vector<std::string> documents;  // files in tests/browser/documents
  std::size_t charts;
};
void PrintTo(const Pages& pages, std::ostream* out) { *out << pages.name; }

class ReportPageTest : public testing::TestWithParam<Pages> {
 protected:
  void SetUp() override {
    const std::optional<std::string> program = HeadlessBrowser::program();
    if (!program) GTEST_SKIP() << "Chromium is not installed (./dev setup installs it)";
    std::vector<ReportDocument> texts;
    for (const std::string& name : GetParam().documents) {
      const std::string path =
          test_support::source_directory() + "/tests/browser/documents/" + name;
      texts.push_back({name, test_support::read_text_file(path)});
    }
    const Expected<std::string> page = html_report(texts);
    ASSERT_TRUE(page) << page.error().message;
    folder_.write("report.html", *page);
    browser_.emplace(*program);
  }

  void open(const HeadlessBrowser::Screen& screen) {
    browser_->open(folder_.file("report.html"), screen);
    const char* kept = std::getenv("TIDEMARK_SCREENSHOTS");
    if (kept == nullptr) return;
    browser_->save_screenshot(std::string(kept) + "/" + GetParam().name + "-" +
                              std::to_string(screen.width) + (screen.dark ? "-dark" : "") + ".png");
  }

  json documents() { return browser_->evaluate("documentsOfPage().map((one) => one.content)"); }

  TemporaryFolder folder_;
  std::optional<HeadlessBrowser> browser_;
};

TEST_P(ReportPageTest, DrawsEverythingFromItselfWithoutAComplaint) {
  for (const auto& screen : {kDesk, kNight, kPhone}) {
    open(screen);
    EXPECT_EQ(browser_->evaluate("drawnCharts.length"), GetParam().charts);
    EXPECT_EQ(browser_->evaluate(kBarsFromElsewhere), 0) << "the length of a bar says nothing then";
    EXPECT_THAT(browser_->complaints(), testing::IsEmpty());
    EXPECT_THAT(browser_->requests(),
                testing::ElementsAre("file://" + folder_.file("report.html")));
    EXPECT_LE(browser_->evaluate("document.documentElement.scrollWidth"), screen.width);
    for (const json& one : browser_->evaluate(kMarks)) {
      if (one["points"] == 0) continue;
      // A dotted line, or a few marks, at the least.
      EXPECT_GE(one["pixels"], 12) << one << " at " << screen.width;
    }
  }
}

TEST_P(ReportPageTest, ShowsNoNumberThatDoesNotFollowFromItsJson) {
  open(kDesk);
  const json all = documents();
  const json unexplained = browser_->evaluate(kUnexplainedCells);
  const json shown = browser_->evaluate(kShownNumbers);
  EXPECT_GE(shown.size(), 20U);
  for (const json& one : shown) expect_shown_right(all, one);
  for (const json& point : browser_->evaluate(kDrawnPoints)) {
    EXPECT_DOUBLE_EQ(point["value"].get<double>(), recomputed(all, point)) << point;
  }
  // Times, commits, names and sentences stand in the documents as they are shown.
  const std::string text = all.dump();
  for (const json& cell : unexplained) {
    if (std::regex_match(cell.get<std::string>(), std::regex("repeat [0-9]+"))) continue;
    EXPECT_NE(text.find(json(cell).dump()), std::string::npos) << cell;
  }
}

TEST_P(ReportPageTest, CanBeReadByDayByNightAndWithoutSight) {
  open(kDesk);
  const json day = browser_->evaluate(kContrasts);
  EXPECT_THAT(browser_->evaluate(kUnlabelled), testing::IsEmpty());
  EXPECT_NE(browser_->evaluate("document.title"), "");
  EXPECT_EQ(browser_->evaluate("document.documentElement.lang"), "en");
  EXPECT_EQ(browser_->evaluate("document.querySelectorAll('h1').length"), 1);
  open(kNight);
  const json night = browser_->evaluate(kContrasts);
  EXPECT_GT(day["card"], 0.8);
  EXPECT_LT(night["card"], 0.05);
  for (const json& contrast : {day, night}) {
    EXPECT_GE(contrast["text"], 4.5);
    EXPECT_GE(contrast["lines"], 3);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Documents, ReportPageTest,
    testing::Values(Pages{"bench", {"bench.json"}, 3}, Pages{"profile", {"profile.json"}, 7},
                    Pages{"compare", {"compare.json"}, 5}, Pages{"history", {"history.jsonl"}, 2},
                    Pages{"several", {"history.jsonl", "one_sided.json"}, 3}),
    [](const testing::TestParamInfo<Pages>& pages) { return std::string(pages.param.name); });

}  // namespace
}  // namespace tidemark
