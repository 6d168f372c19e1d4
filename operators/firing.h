// What the firings of one window say about each other.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

// What a later firing of the same window and key reports (Akidau et al., "The Dataflow Model",
// 2015).
enum class Accumulation : std::uint8_t {
  kAccumulating,  // all rows so far
  kDiscarding,    // the rows since the firing before
  kRetracting,    // all rows so far, after taking back what the firing before had said
};

// When a window fired, by the watermark.
enum class PaneTiming : std::uint8_t {
  kEarly,   // before end - 1
  kOnTime,  // the firing that the watermark's passing end - 1 brings about
  kLate,    // after that, within allowed lateness
};

// What a result row does to a table of results.
enum class ChangeKind : std::uint8_t {
  kInsert,        // +I
  kUpdateBefore,  // -U: takes back a row that kUpdateAfter replaces
  kUpdateAfter,   // +U
  kDelete,        // -D: takes back a row for good
};

std::string_view to_string(Accumulation mode);
std::string_view to_string(PaneTiming timing);
std::string_view to_string(ChangeKind kind);

// The place of a result among the firings of its key's window.
struct PaneInfo {
  PaneTiming timing = PaneTiming::kOnTime;
  ChangeKind change = ChangeKind::kInsert;
  std::uint32_t index = 0;  // firings before this one
};

// When an open window reports before it is complete.
struct EarlyFiring {
  enum class Kind : std::uint8_t { kNone, kEventTime, kProcessingTime, kRows };
  Kind kind = Kind::kNone;
  std::int64_t amount = 0;  // ms, or rows
};

// `accumulating`, `discarding` or `retracting`.
Expected<Accumulation> parse_accumulation(std::string_view text);
// A duration of event time such as `5s`, `processing=5s` for one by the clock, or `rows=100`.
Expected<EarlyFiring> parse_early_firing(std::string_view text);

}  // namespace tidemark
