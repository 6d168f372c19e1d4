// What a comparison found, for programs.
#pragma once

#include <string>
#include <vector>

#include "tidemark/perf/comparison.h"
#include "tidemark/perf/history.h"

namespace tidemark {

// What the history of a project's figures holds, and where it changes.
struct HistoryFindings {
  std::vector<HistorySeries> series;
  std::vector<FigureChangePoint> change_points;
};

// One object of schema tidemark-compare/1, documented in docs/compare.md. `findings` may be null.
std::string comparison_json(const Comparison& comparison, const HistoryFindings* findings);

// The new side's figures as github-action-benchmark reads them with the tools customBiggerIsBetter
// and customSmallerIsBetter; the first tool takes figures of which more is better, the second all
// others.
std::string github_action_json(const Comparison& comparison, Better better);

// A JUnit report with a test case for each figure; what regressed, is missing or cannot be judged
// failed.
std::string comparison_junit(const Comparison& comparison);

}  // namespace tidemark
