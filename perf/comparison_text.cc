#include "tidemark/perf/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "tidemark/connectors/run_summary.h"

namespace tidemark {

namespace {

struct VerdictTitle {
  Verdict verdict;
  const char* title;
};

// The worst first.
constexpr std::array<VerdictTitle, 5> kTold{{{Verdict::kRegressed, "regressed"},
                                             {Verdict::kMissing, "missing"},
                                             {Verdict::kInvalid, "cannot be judged"},
                                             {Verdict::kImproved, "improved"},
                                             {Verdict::kAdded, "added"}}};

std::string side_text(const std::optional<FigureSide>& side, const std::string& unit) {
  if (!side) return "-";
  return side->text.empty() ? figure_value_text(side->median, unit) : side->text;
}

std::string change_text(const FigureComparison& figure) {
  if (!figure.change) return "";
  return fmt::format("{:+.1f} %", 100 * *figure.change);
}

std::string p_text(const FigureComparison& figure) {
  if (!figure.p_value) return figure.kind == FigureKind::kCounter ? "exact" : "";
  return *figure.p_value < 0.001 ? "p<0.001" : fmt::format("p={:.3f}", *figure.p_value);
}

// The sentence that a reader takes away.
std::string verdict_text(const Comparison& comparison) {
  const OverallVerdict verdict = comparison.verdict();
  if (!comparison.wrong.empty()) return "WRONG RESULTS: " + comparison.wrong;
  if (verdict == OverallVerdict::kNotComparable)
    return "not comparable: " + comparison.not_comparable;
  if (verdict == OverallVerdict::kRegressed) {
    return fmt::format(
        "REGRESSED: {} of {} figures{}",
        comparison.count(Verdict::kRegressed) + comparison.count(Verdict::kMissing),
        comparison.figures.size(),
        comparison.not_comparable.empty() ? "" : "; and " + comparison.not_comparable);
  }
  return verdict == OverallVerdict::kImproved ? "no regression, some figures improved"
                                              : "no regression";
}

std::string options_text(const CompareOptions& options) {
  return fmt::format("threshold {:.3g} %, alpha {:.3g}, at least {} samples a side, {}",
                     100 * options.threshold, options.alpha, options.min_runs,
                     options.paired ? "measured in turn and compared in pairs" : "rank test");
}

void append_table(std::string& text, const Comparison& comparison, Verdict verdict) {
  std::vector<std::array<std::string, 6>> rows;
  std::array<std::size_t, 6> widths{};
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.verdict != verdict) continue;
    rows.push_back({figure.name, side_text(figure.base, figure.unit),
                    side_text(figure.next, figure.unit), change_text(figure), p_text(figure),
                    figure.reason});
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], rows.back()[i].size());
    }
  }
  for (const auto& row : rows) {
    std::string line =
        fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {:<{}}  {}", row[0], widths[0], row[1],
                    widths[1], row[2], widths[2], row[3], widths[3], row[4], widths[4], row[5]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

std::string escaped_for_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      escaped += ' ';
      continue;
    }
    if (std::string_view("|\\`*_<>[]#~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void append_markdown_rows(std::string& text, const Comparison& comparison, Verdict verdict,
                          const char* title) {
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.verdict != verdict) continue;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", title, escaped_for_markdown(figure.name),
        escaped_for_markdown(side_text(figure.base, figure.unit)),
        escaped_for_markdown(side_text(figure.next, figure.unit)), change_text(figure),
        escaped_for_markdown(p_text(figure)), escaped_for_markdown(figure.reason));
  }
}

constexpr const char* kMarkdownHead =
    "| verdict | figure | base | new | change | test | why |\n"
    "|---|---|--:|--:|--:|---|---|\n";

}  // namespace

std::string figure_value_text(double value, const std::string& unit) {
  const double size = std::abs(value);
  if (unit == "ns") {
    if (size < 1e3) return fmt::format("{:.4g} ns", value);
    if (size < 1e6) return fmt::format("{:.4g} us", value / 1e3);
    if (size < 1e9) return fmt::format("{:.4g} ms", value / 1e6);
    return fmt::format("{:.4g} s", value / 1e9);
  }
  if (unit.ends_with("/s")) {
    return size < 1e3 ? fmt::format("{:.4g} {}", value, unit)
                      : fmt::format("{} {}", short_count(value), unit);
  }
  if (std::floor(value) == value && size < 1e15) {
    return fmt::format("{:.0f}{}{}", value, unit.empty() ? "" : " ", unit);
  }
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string comparison_text(const Comparison& comparison, bool all) {
  std::string text = fmt::format("base  {}\nnew   {}\n      {}\n", comparison.base_source,
                                 comparison.next_source, options_text(comparison.options));
  for (const std::string& note : comparison.notes) text += "note: " + note + "\n";
  for (const auto& [verdict, title] : kTold) {
    if (comparison.count(verdict) == 0) continue;
    text += fmt::format("\n{}, {}\n", title, comparison.count(verdict));
    append_table(text, comparison, verdict);
  }
  if (comparison.count(Verdict::kSame) > 0) {
    text += fmt::format("\nsame, {}{}\n", comparison.count(Verdict::kSame),
                        all ? "" : "; --all lists them");
    if (all) append_table(text, comparison, Verdict::kSame);
  }
  return text + "\n" + verdict_text(comparison) + "\n";
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string text =
      fmt::format("### Performance: {}\n\n", escaped_for_markdown(verdict_text(comparison)));
  text +=
      fmt::format("Base {}, new {}; {}.\n", escaped_for_markdown(comparison.base_source),
                  escaped_for_markdown(comparison.next_source), options_text(comparison.options));
  for (const std::string& note : comparison.notes) {
    text += fmt::format("\nNote: {}.\n", escaped_for_markdown(note));
  }
  std::string rows;
  for (const auto& [verdict, title] : kTold) append_markdown_rows(rows, comparison, verdict, title);
  if (!rows.empty()) text += std::string("\n") + kMarkdownHead + rows;
  if (const std::size_t same = comparison.count(Verdict::kSame); same > 0) {
    text += fmt::format("\n<details><summary>{} figures are the same</summary>\n\n{}", same,
                        kMarkdownHead);
    append_markdown_rows(text, comparison, Verdict::kSame, "same");
    text += "\n</details>\n";
  }
  return text;
}

std::string change_points_text(const std::vector<FigureChangePoint>& points) {
  if (points.empty()) return "history: no change point\n";
  std::string text =
      fmt::format("history: {} change point{}\n", points.size(), points.size() == 1 ? "" : "s");
  for (const FigureChangePoint& point : points) {
    const std::string change =
        point.before == 0 ? "" : fmt::format("  {:+.1f} %", 100 * (point.after / point.before - 1));
    text += fmt::format("  {}{}  from {} to {}  at {}{}{}  p={:.3f}{}\n", point.figure, change,
                        figure_value_text(point.before, point.unit),
                        figure_value_text(point.after, point.unit), point.time,
                        point.commit.empty() ? "" : ", commit ", point.commit, point.p_value,
                        point.worse ? "  worse" : "");
  }
  return text;
}

}  // namespace tidemark
