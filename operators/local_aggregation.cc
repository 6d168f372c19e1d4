#include "tidemark/operators/local_aggregation.h"

#include <algorithm>

#include "tidemark/operators/plan.h"

namespace tidemark {

namespace {

// Rows until the first trial after one in vain, and at most.
constexpr std::uint64_t kFirstPause = 4 * LocalAggregationSwitch::kPeriod;
constexpr std::uint64_t kLongestPause = 64 * LocalAggregationSwitch::kPeriod;
// So that tests see many changes.
constexpr std::uint64_t kAlternatingPeriod = 16;

// Of fixed size, without handles to memory of a stage, and the same whichever task made it.
bool has_state_that_travels(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCount:
    case AggregateFunction::kSum:
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
    case AggregateFunction::kAvg:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> refuses_local_aggregation(const WindowQuery& query,
                                                     const std::vector<WindowPlan>& plans) {
  if (plans.size() > 1) return "several windows cut the stream at edges of their own";
  const WindowPlan& plan = plans.front();
  if (plan.leaves_shared_path) return plan.reason;
  if (query.carries_watermarks() || query.lateness > 0 || query.reports_panes) {
    return "each row is judged by the watermark of its arrival";
  }
  if (plan.strategy == Strategy::kBaseIntervals) return "slices are cut as their rows come";
  if (plan.strategy == Strategy::kBuckets && plan.slices_per_window > 1) {
    return "each window has a state of its own";
  }
  if (!std::all_of(query.aggregates.begin(), query.aggregates.end(),
                   [](const AggregateSpec& aggregate) {
                     return has_state_that_travels(aggregate.function);
                   })) {
    return "the state of an aggregate must not leave its stage";
  }
  return std::nullopt;
}

bool adds_up_in_any_order(const WindowQuery& query) {
  return std::all_of(query.aggregates.begin(), query.aggregates.end(),
                     [&](const AggregateSpec& aggregate) {
                       switch (aggregate.function) {
                         case AggregateFunction::kCount:
                         case AggregateFunction::kMin:
                         case AggregateFunction::kMax:
                           return true;
                         case AggregateFunction::kSum:
                         case AggregateFunction::kAvg:
                           return query.values[static_cast<std::size_t>(aggregate.input)].type ==
                                  ColumnType::kInt64;
                         default:
                           return false;
                       }
                     });
}

LocalAggregationSwitch::LocalAggregationSwitch(LocalAggregation choice)
    : choice_(choice),
      on_(choice != LocalAggregation::kNever),
      length_(choice == LocalAggregation::kAlternating ? kAlternatingPeriod : kPeriod),
      pause_(kFirstPause) {}

bool LocalAggregationSwitch::count(const Counts& counts) {
  counts_.rows += counts.rows;
  counts_.taken += counts.taken;
  counts_.begun += counts.begun;
  counts_.refused += counts.refused;
  if (counts_.rows < length_) return false;
  wants_new_keys_ = counts_.refused > counts_.taken;
  switch (choice_) {
    case LocalAggregation::kAlternating:
      on_ = !on_;
      break;
    case LocalAggregation::kAlways:
    case LocalAggregation::kNever:
      break;
    default:
      if (on_ && pays()) {
        pause_ = kFirstPause;
        was_on_ = true;
      } else if (on_) {
        // What was in vain from the start is not tried again so soon.
        if (!was_on_) pause_ = std::min(2 * pause_, kLongestPause);
        on_ = was_on_ = false;
      } else {
        on_ = true;
      }
  }
  start_period();
  return true;
}

// In costs of sending a row on: a partial state takes about twice as much as that, and a row that
// finds no place has been looked up in vain. What is on stays on at half of the gain that turns it
// on.
bool LocalAggregationSwitch::pays() const {
  constexpr double kPartialCost = 2;
  constexpr double kRefusalCost = 0.25;
  constexpr double kLeastGain = 0.25;
  const double gain = static_cast<double>(counts_.taken) -
                      kPartialCost * static_cast<double>(counts_.begun) -
                      kRefusalCost * static_cast<double>(counts_.refused);
  return gain >= (was_on_ ? kLeastGain / 2 : kLeastGain) * static_cast<double>(counts_.rows);
}

void LocalAggregationSwitch::start_period() {
  if (choice_ != LocalAggregation::kAlternating) length_ = on_ ? kPeriod : pause_;
  counts_ = {0, 0, 0, 0};
}

}  // namespace tidemark
