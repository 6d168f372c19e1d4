// How many windows have fired, whatever the number of workers that hold a share of each.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Counts each window of each specification once. Costs a search per window of a batch and next to
// nothing per result; holds the windows that some worker may still add results to. Not thread-safe.
class FiredWindows {
 public:
  // `lateness`, in ms: how long windows may fire again.
  explicit FiredWindows(std::int64_t lateness = 0) : lateness_(lateness) {}

  // Results of one worker (see WindowQuery::result_schema).
  void add(const Batch& results);
  // No result with window_end - 1 + lateness <= watermark comes after this.
  void advance(EventTime watermark);

  std::uint64_t count() const { return count_; }
  // Windows that are held now.
  std::size_t open() const { return open_.size(); }

 private:
  struct Window {
    EventTime end;
    EventTime start;
    std::uint32_t specification;
    friend auto operator<=>(const Window&, const Window&) = default;
  };

  std::int64_t lateness_;
  std::set<Window> open_;
  std::uint64_t count_ = 0;
};

}  // namespace tidemark
