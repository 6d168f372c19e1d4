// Two stacks per key whose flip is spread over slides: any associative aggregate, and no firing
// costs much more than another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemark/operators/folding_sharing.h"

namespace tidemark {

// Akin to DABA, the de-amortised bankers' aggregator (Tangwongsan, Hirzel and Schneider 2017;
// DABA Lite, 2021), but simpler, since the windows of all keys move together: what must be done
// when follows from window numbers alone.
//
// Slices that leave at the same time are a group, and half as many groups as a window has are a
// block. A window holds what is left of one block, all of the next, and the beginning of a third.
// Of each key's running row, one part is
//   front  the total of what is left of the first block;
//   rest   the total of the second and the third;
//   fold   the second block's entries as far as they are folded, which goes on by one group with
//          every window: it becomes the front when the first block is used up;
//   back   the total of the third block, which then becomes the rest.
// Then the parts change places, for each key when it is next looked at: front and rest are what
// fold and back were, and these are empty. By that time the front is what its newest entry has
// kept, which is nothing. An entry is thus merged into the rest, or the rest and the back, folded
// once and restored once.
class WorstCaseSharing final : public FoldingSharing {
 public:
  // Whether windows are long enough for this. Others hold so few slices that a flip of them all is
  // no more than what a firing costs anyway.
  static bool pays(const WindowSpec& window);

  // Of an entry in its life, where pays(window): two, one fold and one restore, but for entries of
  // the third block that are no more in time to be merged twice.
  static double merges_per_entry(const WindowSpec& window);

  // Only if pays(window).
  WorstCaseSharing(const WindowSpec& window, const AggregateLayout& layout,
                   std::pmr::memory_resource& memory);

  void begin_expiry(std::int64_t window) override;
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& sealed) override;
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override;

 private:
  static constexpr std::size_t kRest = 1;
  static constexpr std::size_t kFold = 2;
  static constexpr std::size_t kBack = 3;
  static constexpr std::size_t kParts = 4;

  bool result_states(std::span<const std::uint32_t> slots, std::byte* const* rows,
                     const std::byte** a, const std::byte** b) override;
  std::int64_t group_of(std::int64_t slice) const { return slicing_.last_window(slice); }
  // The oldest group that is to be folded before `window`, in which `block` is the first one.
  std::int64_t fold_goal(std::int64_t block, std::int64_t window) const;
  void fold_from(std::int64_t group, SealedSlices& sealed);
  void change_places(std::byte* row) override;

  std::int64_t block_size_;  // groups
  // Windows from the one in which a block is the first until all of the second has been sealed.
  std::int64_t fold_delay_;
  std::int64_t block_ = 0;  // the first one of the next window
  // Groups of the second block from this one on are folded.
  std::int64_t folded_from_ = 0;
  std::int64_t next_window_ = 0;
};

}  // namespace tidemark
