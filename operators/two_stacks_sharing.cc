#include "tidemark/operators/two_stacks_sharing.h"

#include <algorithm>

namespace tidemark {

TwoStacksSharing::TwoStacksSharing(const WindowSpec& window, const AggregateLayout& layout,
                                   std::pmr::memory_resource& memory)
    : FoldingSharing(window, layout, 2, memory),
      period_(std::max<std::int64_t>(window.size / window.slide, 1)) {}

void TwoStacksSharing::begin_expiry(std::int64_t window) {
  next_window_ = window;
  const std::int64_t periods = floor_div(window, period_);
  flip_due_ = periods_passed_ != periods;
  periods_passed_ = periods;
}

// Slices that one flip has folded leave at the latest now, when the next is due: their entries
// could not be folded again, since they no longer hold their own states.
void TwoStacksSharing::expire(const EntryRun& run, SealedSlices& sealed) {
  if (flip_due_ && run.slice > front_through_) flip(sealed);
  if (is_loose(run)) {
    expire_loose(run);
  } else {
    restore(run);
  }
}

void TwoStacksSharing::end_expiry(SealedSlices& sealed) {
  if (flip_due_) flip(sealed);
}

void TwoStacksSharing::flip(SealedSlices& sealed) {
  flip_due_ = false;
  for (const std::uint32_t slot : rows_.live()) {
    rows_.reset_part(rows_.row(slot), kFront);
    rows_.reset_part(rows_.row(slot), kBack);
  }
  // Loose entries still hold their own states, so they are folded with the others.
  forget_loose();
  Folder folder(*this, kFront);
  sealed.visit_backward(folder);
  front_through_ = slicing_.last_slice(next_window_ - 1);
  states_are_regrouped();
}

void TwoStacksSharing::add_stragglers(const EntryRun& run) {
  if (run.slice <= front_through_) {
    add_loose(run);
  } else {
    merge_into(kBack, run);
  }
}

bool TwoStacksSharing::result_states(std::span<const std::uint32_t> slots, std::byte* const* rows,
                                     const std::byte** a, const std::byte** b) {
  const std::size_t back = kBack * layout_.other_size();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    a[i] = rows[i];
    b[i] = rows[i] + back;
  }
  include_loose(slots, a);
  return true;
}

}  // namespace tidemark
