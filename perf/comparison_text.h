// What a comparison found, for people: at a terminal and in a pull request.
#pragma once

#include <string>

#include "tidemark/perf/comparison.h"
#include "tidemark/perf/history.h"

namespace tidemark {

// Every figure that regressed, went missing, improved, came in or could not be judged, then how
// many stayed the same; with `all` those too. Ends with the verdict and, if there is one, the
// history.
std::string comparison_text(const Comparison& comparison, bool all);

// The same as GitHub-flavoured Markdown, with unchanged figures folded away.
std::string comparison_markdown(const Comparison& comparison);

// The change points of a history, a line each.
std::string change_points_text(const std::vector<FigureChangePoint>& points);

// A value with its unit, short: `12.5 us`, `3.2 M rows/s`, `1000`.
std::string figure_value_text(double value, const std::string& unit);

}  // namespace tidemark
