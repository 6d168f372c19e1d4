// A running state per key for windows that only grow, until all of them end at once.
#pragma once

#include "tidemark/operators/running_sharing.h"

namespace tidemark {

// For cumulate windows: with the last window of a period all its slices leave together, so nothing
// is ever undone. One merge when an entry comes, and none when it leaves. What two stacks come down
// to when the front one is always empty.
class GrowingSharing final : public RunningSharing {
 public:
  GrowingSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory)
      : RunningSharing(layout, 1, memory) {}

  bool rewrites_entries() const override { return false; }
  void begin_expiry(std::int64_t /*window*/) override {}
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& /*sealed*/) override {}
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override { seal(run); }
};

}  // namespace tidemark
