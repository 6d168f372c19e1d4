// A running state per key, from which expiring slices are taken out again.
#pragma once

#include "tidemark/operators/pane_sharing.h"
#include "tidemark/operators/running_rows.h"

namespace tidemark {

// "Subtract on evict" (Hirzel, Schneider and Tangwongsan 2017 survey it): one merge when an entry
// comes and one subtraction when it leaves. A running row starts afresh whenever its key has no
// live entry, so rounding of doubles does not build up beyond one busy stretch.
class SubtractSharing final : public PaneSharing {
 public:
  SubtractSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count) override;
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override { seal(run); }
  void begin_window(SealedSlices& sealed) override;
  bool emit(ResultEmitter& emitter) override;
  bool empty() const override { return rows_.live().empty(); }
  std::uint64_t merges() const override { return merges_; }

 private:
  std::uint32_t* absent(std::uint32_t slot) {
    return absent_.data() + slot * layout_.value_columns();
  }
  void count_absent(const std::byte* entries, std::size_t n, int change);
  void renew_valid_bits(std::uint32_t slot);

  const AggregateLayout& layout_;
  RunningRows rows_;
  std::uint32_t all_valid_;
  // Per slot and value column: live entries that have had NULLs only. Used once there is one.
  std::pmr::vector<std::uint32_t> absent_;
  bool any_absent_ = false;
  std::size_t emitted_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
