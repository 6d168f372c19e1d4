// Two stacks per key, kept sparse: any associative aggregate at a constant cost per entry.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemark/operators/folding_sharing.h"

namespace tidemark {

// The two-stacks queue (Adams 2011; Tangwongsan, Hirzel, Schneider and Wu 2015), turned on its
// side: a running row holds, per key, a front part (slices up to the last flip) and a back part
// (slices sealed since). A flip folds all live entries into the front parts, from new to old. So an
// entry is merged into the back once, folded once and restored once.
//
// Flips come at fixed window numbers, once in as many windows as a slice lives, whatever keys there
// are: so doubles are added in the same order however keys are spread over stages.
class TwoStacksSharing final : public FoldingSharing {
 public:
  TwoStacksSharing(const WindowSpec& window, const AggregateLayout& layout,
                   std::pmr::memory_resource& memory);

  void begin_expiry(std::int64_t window) override;
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& sealed) override;
  void seal(const EntryRun& run) override { merge_into(kBack, run); }
  void add_stragglers(const EntryRun& run) override;

 private:
  static constexpr std::size_t kBack = 1;

  bool result_states(std::span<const std::uint32_t> slots, std::byte* const* rows,
                     const std::byte** a, const std::byte** b) override;
  void flip(SealedSlices& sealed);

  // Windows from one flip to the next.
  std::int64_t period_;
  std::optional<std::int64_t> periods_passed_;
  bool flip_due_ = false;
  std::int64_t next_window_ = 0;
  // The front part holds slices up to this one, whether or not there were entries in it.
  std::int64_t front_through_ = kNoWatermark;
};

}  // namespace tidemark
