#include "tidemark/operators/worst_case_sharing.h"

#include <algorithm>

namespace tidemark {

namespace {

// Groups of slices in a window: slices of one group leave at the same time.
std::int64_t groups_of(const WindowSpec& window) {
  return window.size / window.slide + static_cast<std::int64_t>(window.size % window.slide != 0);
}

constexpr std::int64_t kFewestGroups = 5;

}  // namespace

bool WorstCaseSharing::pays(const WindowSpec& window) {
  return window.kind == WindowKind::kSliding && groups_of(window) >= kFewestGroups;
}

// With an odd number of groups the newest ones of a window's second block come a window later, and
// of two slices in a group the second comes a window after the first.
double WorstCaseSharing::merges_per_entry(const WindowSpec& window) {
  const std::int64_t groups = groups_of(window);
  const std::int64_t block = (groups + 1) / 2;
  const std::int64_t merged_once = groups % 2 + Slicing(window).slices_per_slide();
  return 4 - static_cast<double>(merged_once) / static_cast<double>(block);
}

WorstCaseSharing::WorstCaseSharing(const WindowSpec& window, const AggregateLayout& layout,
                                   std::pmr::memory_resource& memory)
    : FoldingSharing(window, layout, kParts, memory),
      block_size_((groups_of(window) + 1) / 2),
      fold_delay_(groups_of(window) % 2 + slicing_.slices_per_slide()) {}

// Evenly over the windows that there are for it, and all of it before the block comes first.
std::int64_t WorstCaseSharing::fold_goal(std::int64_t block, std::int64_t window) const {
  const std::int64_t steps = block_size_ - fold_delay_ + 1;
  const std::int64_t done =
      std::max<std::int64_t>(window - block * block_size_ - fold_delay_ + 1, 0);
  return (block + 2) * block_size_ - (block_size_ * done + steps - 1) / steps;
}

void WorstCaseSharing::begin_expiry(std::int64_t window) {
  next_window_ = window;
  if (!empty()) return;
  // Windows may have been passed over. All parts are empty, and so is what was to be folded.
  block_ = floor_div(window, block_size_);
  folded_from_ = fold_goal(block_, window);
}

void WorstCaseSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  if (is_loose(run)) {
    expire_loose(run);
  } else {
    restore(run);
  }
}

void WorstCaseSharing::end_expiry(SealedSlices& sealed) {
  fold_from(fold_goal(block_, next_window_), sealed);
  if (next_window_ < (block_ + 1) * block_size_) return;
  ++block_;
  folded_from_ = (block_ + 2) * block_size_;
  begin_generation();
  states_are_regrouped();
}

void WorstCaseSharing::fold_from(std::int64_t group, SealedSlices& sealed) {
  if (group >= folded_from_) return;
  Folder folder(*this, kFold);
  sealed.visit_backward(slicing_.first_slice(group), slicing_.first_slice(folded_from_) - 1,
                        folder);
  folded_from_ = group;
}

void WorstCaseSharing::change_places(std::byte* row) {
  rows_.move_part(row, kFold, kFront);
  rows_.move_part(row, kBack, kRest);
}

void WorstCaseSharing::seal(const EntryRun& run) {
  const bool in_third = group_of(run.slice) >= (block_ + 2) * block_size_;
  merge_into(kRest, in_third ? kBack : kRest, run);
}

void WorstCaseSharing::add_stragglers(const EntryRun& run) {
  const std::int64_t group = group_of(run.slice);
  const bool folded = group < (block_ + 1) * block_size_ ||
                      (group >= folded_from_ && group < (block_ + 2) * block_size_);
  if (folded) {
    add_loose(run);
  } else {
    seal(run);
  }
}

bool WorstCaseSharing::result_states(std::span<const std::uint32_t> slots, std::byte* const* rows,
                                     const std::byte** a, const std::byte** b) {
  const std::size_t rest = kRest * layout_.other_size();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    a[i] = rows[i];
    b[i] = rows[i] + rest;
  }
  // What is sealed of a loose entry's own slice is in the one part or the other, and comes before
  // it.
  include_loose(slots, b);
  return true;
}

}  // namespace tidemark
