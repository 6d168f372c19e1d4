#include "tidemark/perf/confirmation.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark {

std::vector<std::string> alarmed_timings(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.kind == FigureKind::kTiming && figure.verdict == Verdict::kRegressed) {
      names.push_back(figure.name);
    }
  }
  return names;
}

void confirm(Comparison& first, const Comparison& again) {
  for (FigureComparison& figure : first.figures) {
    if (figure.kind != FigureKind::kTiming || figure.verdict != Verdict::kRegressed) continue;
    const auto more =
        std::find_if(again.figures.begin(), again.figures.end(),
                     [&](const FigureComparison& other) { return other.name == figure.name; });
    if (more == again.figures.end()) continue;
    const double alarm = figure.change.value_or(0);
    figure = *more;
    figure.reason =
        figure.verdict == Verdict::kRegressed
            ? "confirmed by further runs"
            : fmt::format("{:+.1f} % at first, not confirmed by further runs", 100 * alarm);
  }
}

}  // namespace tidemark
