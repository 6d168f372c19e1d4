// Where the watermarks of a typed source come from.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "tidemark/operators/query.h"

namespace tidemark {

// What holds with any source of watermarks.
struct SourceLimits {
  std::optional<std::chrono::milliseconds> idle_timeout{};
  std::optional<std::chrono::milliseconds> max_ahead{};

  void apply_to(WindowQuery& query) const {
    if (idle_timeout) query.idle_timeout = idle_timeout->count();
    if (max_ahead) query.max_ahead = max_ahead->count();
  }
};

template <typename Policy>
struct WithLimits {
  SourceLimits limits{};

  // A partition silent for so long stops holding back the others.
  Policy idle_after(std::chrono::milliseconds timeout) const {
    Policy policy = static_cast<const Policy&>(*this);
    policy.limits.idle_timeout = timeout;
    return policy;
  }
  // A row further ahead of the highest event time before it in its partition counts as bad. The
  // limit must exceed the longest silence of the source, or every row after one is bad.
  Policy at_most_ahead(std::chrono::milliseconds limit) const {
    Policy policy = static_cast<const Policy&>(*this);
    policy.limits.max_ahead = limit;
    return policy;
  }
};

// Watermarks that follow from event times alone, or none.
struct WatermarkPolicy : WithLimits<WatermarkPolicy> {
  WatermarkKind kind = WatermarkKind::kBounded;
  std::chrono::milliseconds delay{0};
};

// Rows come at most `delay` behind the highest event time that came before them.
inline WatermarkPolicy bounded_out_of_orderness(std::chrono::milliseconds delay) {
  WatermarkPolicy policy;
  policy.delay = delay;
  return policy;
}
// Rows come in the order of their event times.
inline WatermarkPolicy monotonous() { return {}; }
// Windows are complete at the end of the source only, and no row is late.
inline WatermarkPolicy no_watermarks() {
  WatermarkPolicy policy;
  policy.kind = WatermarkKind::kNone;
  return policy;
}

// Some rows say up to which time everything has come.
template <typename Function>
struct PunctuatedPolicy : WithLimits<PunctuatedPolicy<Function>> {
  explicit PunctuatedPolicy(Function function_of_row) : function(std::move(function_of_row)) {}

  Function function;
};

// `function` is a pointer to a member or a function that takes a row, and returns std::optional of
// an event time: the watermark that holds after the row, if there is one. The highest counts; one
// that is no valid event time is as good as none.
template <typename Function>
PunctuatedPolicy<Function> punctuated(Function function) {
  return PunctuatedPolicy<Function>(std::move(function));
}

}  // namespace tidemark
