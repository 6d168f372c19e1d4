#include "tidemark/perf/comparison_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tidemark {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json side_json(const std::optional<FigureSide>& side) {
  if (!side) return nullptr;
  if (!side->text.empty()) return {{"text", side->text}};
  return {{"median", side->median}, {"count", side->count}, {"samples", side->samples}};
}

Json figure_json(const FigureComparison& figure) {
  return {{"name", figure.name},
          {"unit", figure.unit},
          {"better", to_string(figure.better)},
          {"kind", to_string(figure.kind)},
          {"base", side_json(figure.base)},
          {"new", side_json(figure.next)},
          {"change", value_or_null(figure.change)},
          {"p_value", value_or_null(figure.p_value)},
          {"verdict", to_string(figure.verdict)},
          {"reason", figure.reason}};
}

Json options_json_of(const CompareOptions& options) {
  return {{"threshold", options.threshold},
          {"alpha", options.alpha},
          {"min_runs", options.min_runs},
          {"instruction_tolerance", options.instruction_tolerance},
          {"paired", options.paired},
          {"gate", options.counters_only ? "counters" : "all"},
          {"allow_different", options.allow_different},
          {"allow_missing", options.allow_missing}};
}

Json change_points_json(const HistoryFindings* findings) {
  Json points = Json::array();
  if (findings == nullptr) return points;
  for (const FigureChangePoint& point : findings->change_points) {
    points.push_back({{"figure", point.figure},
                      {"index", point.index},
                      {"time", point.time},
                      {"commit", point.commit},
                      {"before", point.before},
                      {"after", point.after},
                      {"p_value", point.p_value},
                      {"worse", point.worse}});
  }
  return points;
}

Json history_json(const HistoryFindings* findings) {
  if (findings == nullptr) return nullptr;
  Json figures = Json::array();
  for (const HistorySeries& series : findings->series) {
    Json points = Json::array();
    for (const HistorySeries::Point& point : series.points) {
      points.push_back(Json::array({point.time, point.commit, point.value}));
    }
    figures.push_back({{"name", series.name}, {"unit", series.unit}, {"points", points}});
  }
  return {{"figures", figures}};
}

// Control characters that XML cannot hold become `?`; so do bytes that are not UTF-8, by way of a
// JSON string.
std::string escaped_for_xml(const std::string& text) {
  std::string escaped;
  const std::string whole =
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
          .get<std::string>();
  for (const char c : whole) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return escaped;
}

bool is_failure(const Comparison& comparison, const FigureComparison& figure) {
  return figure.verdict == Verdict::kRegressed || figure.verdict == Verdict::kInvalid ||
         (figure.verdict == Verdict::kMissing && !comparison.options.allow_missing);
}

std::string figure_sentence(const FigureComparison& figure) {
  std::string text = to_string(figure.verdict);
  if (figure.base && figure.next && figure.base->text.empty()) {
    text += fmt::format(": median {:.6g} became {:.6g} {}", figure.base->median,
                        figure.next->median, figure.unit);
  }
  if (figure.change) text += fmt::format(" ({:+.2f} %)", 100 * *figure.change);
  if (figure.p_value) text += fmt::format(", p = {:.3g}", *figure.p_value);
  if (!figure.reason.empty()) text += "; " + figure.reason;
  return text;
}

std::string case_xml(const Comparison& comparison, const FigureComparison& figure) {
  const std::string name = escaped_for_xml(figure.name);
  const std::string sentence = escaped_for_xml(figure_sentence(figure));
  std::string text =
      fmt::format("    <testcase classname=\"tidemark.compare\" name=\"{}\" time=\"0\">", name);
  if (is_failure(comparison, figure)) {
    text +=
        fmt::format("<failure type=\"{}\" message=\"{}\"/>", to_string(figure.verdict), sentence);
  } else if (figure.verdict == Verdict::kMissing) {
    text += fmt::format("<skipped message=\"{}\"/>", sentence);
  } else {
    text += fmt::format("<system-out>{}</system-out>", sentence);
  }
  return text + "</testcase>\n";
}

// What is wrong with the comparison as a whole; empty if nothing is.
std::string failure_of_all(const Comparison& comparison) {
  return comparison.wrong.empty() ? comparison.not_comparable : comparison.wrong;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const HistoryFindings* findings) {
  Json report;
  report["schema"] = "tidemark-compare/1";
  report["base"] = {{"path", comparison.base_source},
                    {"machine", Json::parse(comparison.base_machine)},
                    {"build", Json::parse(comparison.base_build)}};
  report["new"] = {{"path", comparison.next_source},
                   {"machine", Json::parse(comparison.next_machine)},
                   {"build", Json::parse(comparison.next_build)}};
  report["options"] = options_json_of(comparison.options);
  report["verdict"] = to_string(comparison.verdict());
  report["not_comparable"] =
      comparison.not_comparable.empty() ? Json(nullptr) : Json(comparison.not_comparable);
  report["wrong"] = comparison.wrong.empty() ? Json(nullptr) : Json(comparison.wrong);
  report["notes"] = comparison.notes;
  report["figures"] = Json::array();
  for (const FigureComparison& figure : comparison.figures) {
    report["figures"].push_back(figure_json(figure));
  }
  report["change_points"] = change_points_json(findings);
  report["history"] = history_json(findings);
  return dumped(report);
}

std::string github_action_json(const Comparison& comparison, Better better) {
  Json entries = Json::array();
  for (const FigureComparison& figure : comparison.figures) {
    const bool wanted = (figure.better == Better::kHigher) == (better == Better::kHigher);
    if (!wanted || !figure.next || !figure.next->text.empty()) continue;
    Json entry{{"name", figure.name}, {"unit", figure.unit}, {"value", figure.next->median}};
    if (const std::vector<double>& samples = figure.next->samples; samples.size() > 1) {
      const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
      entry["range"] = fmt::format("{:.6g} .. {:.6g}", *lowest, *highest);
    }
    entry["extra"] = figure_sentence(figure);
    entries.push_back(std::move(entry));
  }
  return dumped(entries);
}

std::string comparison_junit(const Comparison& comparison) {
  const std::string whole = failure_of_all(comparison);
  std::size_t tests = comparison.figures.size(), failures = 0, skipped = 0;
  std::string cases;
  for (const FigureComparison& figure : comparison.figures) {
    cases += case_xml(comparison, figure);
    const bool failed = is_failure(comparison, figure);
    failures += failed ? 1 : 0;
    skipped += !failed && figure.verdict == Verdict::kMissing ? 1 : 0;
  }
  if (!whole.empty()) {
    ++tests;
    ++failures;
    cases += fmt::format(
        "    <testcase classname=\"tidemark.compare\" name=\"comparable\" time=\"0\"><failure "
        "type=\"{}\" message=\"{}\"/></testcase>\n",
        comparison.wrong.empty() ? "not_comparable" : "wrong", escaped_for_xml(whole));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"tidemark "
      "compare\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  "
      "</testsuite>\n</testsuites>\n",
      tests, failures, skipped, cases);
}

}  // namespace tidemark
