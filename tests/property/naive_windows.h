// Which windows hold a row, by enumeration over 128 bit integers and over a zone's transitions.
#pragma once

#include <string>
#include <vector>

#include "tidemark/operators/window_spec.h"
#include "tidemark/runtime/time.h"

namespace tidemark::test_support {

struct NaiveWindow {
  EventTime start = 0;
  EventTime end = 0;

  friend bool operator==(const NaiveWindow&, const NaiveWindow&) = default;
};

// All tumbling, sliding, cumulate or calendar windows of `spec` that hold `time`, by end and then
// start. Windows are cut on the wall clock of `zone` (empty: UTC): a window holds the instants
// whose local time is within its local bounds, and goes from the first of them to behind the last;
// windows that hold the same instants are one.
std::vector<NaiveWindow> naive_windows(const WindowSpec& spec, const std::string& zone,
                                       EventTime time);

}  // namespace tidemark::test_support
