// Two stacks per key, kept sparse: any associative aggregate at a constant cost per entry.
#pragma once

#include <optional>

#include "tidemark/operators/loose_entries.h"
#include "tidemark/operators/pane_sharing.h"
#include "tidemark/operators/running_rows.h"

namespace tidemark {

// The two-stacks queue (Adams 2011; Tangwongsan, Hirzel, Schneider and Wu 2015), turned on its
// side: a running row holds, per key, a front part (slices up to the last flip) and a back part
// (slices sealed since). At a flip all live entries are walked from new to old, each is exchanged
// for the front part as it was before, and that is what is restored when the entry expires. So an
// entry is merged into the back once, folded once and restored once; the flip itself costs all live
// entries, and comes when the last slice of the front has left.
class TwoStacksSharing final : public PaneSharing {
 public:
  TwoStacksSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count) override { rows_.cover(slot_count); }
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override;
  void begin_window(SealedSlices& sealed) override;
  bool emit(ResultEmitter& emitter) override;
  bool empty() const override { return rows_.live().empty(); }
  std::uint64_t merges() const override { return merges_; }

 private:
  class Folder;
  static constexpr std::size_t kFront = 0;
  static constexpr std::size_t kBack = 1;

  void flip(SealedSlices& sealed);
  void add_loose(const EntryRun& run);
  void restore(const EntryRun& run);
  bool is_loose(const EntryRun& run) const;
  // Points states[i] at a copy that includes loose entries, where a slot has them.
  void include_loose(std::span<const std::uint32_t> slots, const std::byte** states);

  const AggregateLayout& layout_;
  RunningRows rows_;
  // The newest slice of the front part; none before the first flip.
  std::optional<std::int64_t> front_through_;
  LooseEntries loose_;
  std::vector<const std::byte*> loose_runs_;
  std::vector<std::byte> loose_copies_;
  std::size_t emitted_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace tidemark
