#include "tidemark/operators/key_collection.h"

#include <algorithm>

namespace tidemark {

std::size_t KeyCollectionSchedule::recent_live() const {
  return *std::max_element(live_before_.begin(), live_before_.end());
}

bool KeyCollectionSchedule::due_before_firing(std::size_t keys, std::uint64_t inserted,
                                              std::size_t most_live, std::uint64_t fired) {
  if (when_ != KeyCollection::kWhenDue) return when_ == KeyCollection::kAlways;
  if (fired != fired_) {
    fired_ = fired;
    firing_ = (firing_ + 1) % kFirings;
    live_before_[firing_] = 0;
  }
  live_before_[firing_] = std::max(live_before_[firing_], most_live);
  if (keys <= kFewKeys) return false;

  const std::uint64_t new_keys = inserted - inserted_then_;
  const std::uint64_t row_steps = (rows_ - rows_then_) / kRowsPerStep;
  if (new_keys >= std::max(kFewKeys, live_then_ / 2) &&
      new_keys * kStepsPerKey + row_steps >= steps_then_) {
    return true;
  }
  // Most keys are gone, and have been for a while.
  if (keys / 2 > recent_live()) return true;
  return row_steps >= std::max<std::uint64_t>(steps_then_, keys);
}

bool KeyCollectionSchedule::due_before_rows(std::uint64_t inserted) const {
  if (when_ != KeyCollection::kWhenDue) return when_ == KeyCollection::kAlways;
  const std::uint64_t new_keys = inserted - inserted_then_;
  return new_keys >= 4 * std::max(kFewKeys, live_then_) && new_keys * kStepsPerKey >= steps_then_;
}

bool KeyCollectionSchedule::worth_compacting(std::size_t live, std::size_t slots) const {
  return when_ == KeyCollection::kAlways || slots / 4 >= std::max(live, kFewKeys);
}

void KeyCollectionSchedule::collected(std::uint64_t inserted, std::size_t live, std::size_t steps) {
  rows_then_ = rows_;
  inserted_then_ = inserted;
  live_then_ = live;
  steps_then_ = steps;
}

}  // namespace tidemark
