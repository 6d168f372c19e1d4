// Every firing merges all slices of its window.
#pragma once

#include "tidemark/operators/pane.h"
#include "tidemark/operators/pane_sharing.h"

namespace tidemark {

// Costs one merge per live entry and firing; keeps nothing from one window to the next.
class RecomputeSharing final : public PaneSharing {
 public:
  RecomputeSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count) override { slot_count_ = slot_count; }
  bool rewrites_entries() const override { return false; }
  void begin_expiry(std::int64_t /*window*/) override {}
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& /*sealed*/) override {}
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override;
  void begin_window(SealedSlices& sealed) override;
  bool emit(ResultEmitter& emitter) override;
  std::size_t most_live_keys() const override { return live_entries_; }
  void mark_live(SealedSlices& sealed, LiveSlots& live) override;
  void renumber(const SlotMap& map) override;
  bool empty() const override { return live_entries_ == 0; }
  std::uint64_t merges() const override { return merges_; }

 private:
  static constexpr std::size_t kRecent = 16;  // windows

  class Merger;
  class Marker;

  const AggregateLayout& layout_;
  Pane window_;
  std::size_t slot_count_ = 0;
  std::uint64_t stamp_ = 0;
  std::size_t live_entries_ = 0;
  std::size_t emitted_ = 0;
  RecentPeak window_entries_{kRecent};
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
