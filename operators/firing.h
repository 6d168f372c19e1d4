// What the firings of one window say about each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

// When an open window reports before it is complete.
struct EarlyFiring {
  enum class Kind : std::uint8_t { kNone, kEventTime, kProcessingTime, kRows };
  Kind kind = Kind::kNone;
  std::int64_t amount = 0;  // ms, or rows
};

}  // namespace tidemark
