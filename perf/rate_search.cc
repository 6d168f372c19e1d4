#include "tidemark/perf/rate_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tidemark {

namespace {
// By so much latency grows where what waits for event time waits twice as long, noise allowed for.
constexpr double kGrowsAsRateFalls = 1.5;
}  // namespace

std::optional<std::uint64_t> RateSearch::next() const {
  if (steps_ >= limits_.most_steps) return std::nullopt;
  for (const auto& [rate, tries] : tries_) {
    if (!tries.good() && !tries.bad()) return rate;
  }
  if (tries_.empty()) return limits_.first;
  const std::optional<std::uint64_t> good = highest_sustained();
  return good ? next_above(*good) : next_without_good();
}

std::optional<std::uint64_t> RateSearch::next_above(std::uint64_t good) const {
  const auto above = std::find_if(tries_.upper_bound(good), tries_.end(),
                                  [](const auto& entry) { return entry.second.bad(); });
  if (above == tries_.end()) {
    if (good < limits_.highest) return good > limits_.highest / 2 ? limits_.highest : good * 2;
  } else if (const auto middle = between(good, above->first)) {
    return middle;
  }
  return tries_.at(good).confirmed() ? std::nullopt : std::optional(good);
}

std::optional<std::uint64_t> RateSearch::next_without_good() const {
  const std::optional<std::uint64_t> higher = next_upwards();
  return higher ? higher : next_downwards();
}

std::optional<std::uint64_t> RateSearch::next_upwards() const {
  const auto overloaded = std::find_if(tries_.begin(), tries_.end(),
                                       [](const auto& entry) { return !entry.second.late(); });
  if (overloaded == tries_.begin()) return std::nullopt;
  const auto top = std::prev(overloaded);
  if (top != tries_.begin()) {
    const std::optional<double> before = std::prev(top)->second.latency;
    if (before && !(top->second.latency < before)) return std::nullopt;
  }
  if (overloaded != tries_.end()) return between(top->first, overloaded->first);
  if (top->first >= limits_.highest) return std::nullopt;
  return top->first > limits_.highest / 2 ? limits_.highest : top->first * 2;
}

std::optional<std::uint64_t> RateSearch::next_downwards() const {
  const auto bottom = tries_.begin();
  if (bottom->first <= limits_.lowest) return std::nullopt;
  if (bottom->second.late()) {
    // Where nothing came out in the time there was, less comes out at a lower rate.
    if (!bottom->second.latency) return std::nullopt;
    if (grows_downwards()) return std::nullopt;
  }
  return std::max(limits_.lowest, bottom->first / 2);
}

bool RateSearch::grows_downwards() const {
  const auto grew = [](const Tries& low, const Tries& high) {
    return low.late() && high.late() && low.latency && high.latency &&
           *low.latency > kGrowsAsRateFalls * *high.latency;
  };
  if (tries_.size() < 3) return false;
  const auto first = tries_.begin();
  const auto second = std::next(first);
  return grew(first->second, second->second) && grew(second->second, std::next(second)->second);
}

std::optional<std::uint64_t> RateSearch::between(std::uint64_t low, std::uint64_t high) const {
  if (static_cast<double>(high) <= static_cast<double>(low) * limits_.precision) {
    return std::nullopt;
  }
  const double middle = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
  const auto rate = static_cast<std::uint64_t>(middle);
  return rate > low && rate < high ? std::optional(rate) : std::nullopt;
}

void RateSearch::answer(std::uint64_t rate, const RateAnswer& answer) {
  ++steps_;
  Tries& tries = tries_[rate];
  ++(answer.outcome == RateOutcome::kSustained ? tries.sustained : tries.failed);
  if (answer.outcome == RateOutcome::kOverloaded) ++tries.overloaded;
  if (answer.latency) {
    tries.latency = tries.latency ? std::min(*tries.latency, *answer.latency) : *answer.latency;
  }
}

std::optional<std::uint64_t> RateSearch::highest_sustained() const {
  std::optional<std::uint64_t> best;
  for (const auto& [rate, tries] : tries_) {
    if (tries.bad() && (best || !tries.late())) break;
    if (tries.good()) best = rate;
  }
  return best;
}

}  // namespace tidemark
