// Two stacks per key, kept sparse: any associative aggregate at a constant cost per entry.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/operators/loose_entries.h"
#include "tidemark/operators/running_sharing.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// The two-stacks queue (Adams 2011; Tangwongsan, Hirzel, Schneider and Wu 2015), turned on its
// side: a running row holds, per key, a front part (slices up to the last flip) and a back part
// (slices sealed since). At a flip all live entries are walked from new to old, each is exchanged
// for the front part as it was before, and that is what is restored when the entry expires. So an
// entry is merged into the back once, folded once and restored once.
//
// Flips come at fixed window numbers, once in as many windows as a slice lives, whatever keys there
// are: so doubles are added in the same order however keys are spread over stages.
class TwoStacksSharing final : public RunningSharing {
 public:
  TwoStacksSharing(const WindowSpec& window, const AggregateLayout& layout,
                   std::pmr::memory_resource& memory);
  ~TwoStacksSharing() override;

  void begin_expiry(std::int64_t window) override;
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& sealed) override;
  void seal(const EntryRun& run) override { merge_into(kBack, run); }
  void add_stragglers(const EntryRun& run) override;
  void renumber(const SlotMap& map) override;

 private:
  class Folder;
  static constexpr std::size_t kFront = 0;
  static constexpr std::size_t kBack = 1;

  bool result_states(std::span<const std::uint32_t> slots, const std::byte** a,
                     const std::byte** b) override;
  void flip(SealedSlices& sealed);
  void add_loose(const EntryRun& run);
  void expire_loose(const EntryRun& run);
  void restore(const EntryRun& run);
  bool is_loose(const EntryRun& run) const;
  // Points states[i] at a copy that includes loose entries, where a slot has them.
  void include_loose(std::span<const std::uint32_t> slots, const std::byte** states);

  Slicing slicing_;
  // Windows from one flip to the next.
  std::int64_t period_;
  std::optional<std::int64_t> periods_passed_;
  bool flip_due_ = false;
  std::int64_t next_window_ = 0;
  // The front part holds slices up to this one, whether or not there were entries in it.
  std::int64_t front_through_ = kNoWatermark;
  LooseEntries loose_;
  std::pmr::vector<const std::byte*> loose_runs_;
  std::vector<std::byte> loose_copies_;
};

}  // namespace tidemark
