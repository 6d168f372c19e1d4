// The figures of a run, for people and as JSON.
#pragma once

#include <string>

#include "tidemark/operators/run_report.h"

namespace tidemark {

// One JSON object, a field a line. `watermark` is in ms: 9223372036854775807 after a whole input,
// null if there was none. `strategy` names what ran, joined by "," where windows differ.
std::string summary_json(const RunReport& report);

// A few lines, each ending in a line end.
std::string summary_text(const RunReport& report);

// One line for each sum that did not fit, and one for those that are not named.
std::string overflow_text(const OverflowList& overflows);

// Rows as people read them: 950, 12.3 k, 4.5 M.
std::string short_count(double count);

}  // namespace tidemark
