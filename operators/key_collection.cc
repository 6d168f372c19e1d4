#include "tidemark/operators/key_collection.h"

#include <algorithm>

namespace tidemark {

void KeyCollectionSchedule::note(const Figures& now) {
  if (now.windows_fired != fired_) {
    fired_ = now.windows_fired;
    recent_live_.step();
    recent_keys_.step();
  }
  recent_live_.note(now.most_live);
  recent_keys_.note(now.keys);
}

bool KeyCollectionSchedule::due_before_firing(const Figures& now) {
  if (when_ != KeyCollection::kWhenDue) return when_ == KeyCollection::kAlways;
  note(now);
  if (now.slots <= kFewKeys) return false;

  const std::uint64_t new_keys = now.inserted - then_.inserted;
  const std::uint64_t paid =
      (now.rows - then_.rows) / kRowsPerStep + (now.results - then_.results) / kResultsPerStep;
  if (new_keys >= std::max(kFewKeys, live_then_ / 2) &&
      new_keys * kStepsPerKey + paid >= steps_then_) {
    return true;
  }
  if (is_far_above(now.keys, recent_live_.value())) return true;
  if (is_far_above(now.slots, recent_keys_.value())) return true;
  return paid >= now.keys + std::min<std::uint64_t>(steps_then_, now.entries);
}

bool KeyCollectionSchedule::due_before_rows(std::uint64_t inserted) const {
  if (when_ != KeyCollection::kWhenDue) return when_ == KeyCollection::kAlways;
  const std::uint64_t new_keys = inserted - then_.inserted;
  return new_keys >= 4 * std::max(kFewKeys, live_then_) && new_keys * kStepsPerKey >= steps_then_;
}

bool KeyCollectionSchedule::worth_compacting(std::size_t live, std::size_t slots) const {
  return when_ == KeyCollection::kAlways || slots / 4 >= std::max(live, kFewKeys) ||
         is_far_above(slots, recent_keys_.value());
}

void KeyCollectionSchedule::collected(const Figures& then, std::size_t live, std::size_t steps) {
  then_ = then;
  live_then_ = live;
  steps_then_ = steps;
}

}  // namespace tidemark
