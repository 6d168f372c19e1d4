#include "tidemark/perf/rate_search.h"

#include <algorithm>
#include <cmath>

namespace tidemark {

std::optional<std::uint64_t> RateSearch::next() const {
  if (steps_ >= limits_.most_steps) return std::nullopt;
  for (const auto& [rate, tries] : tries_) {
    if (!tries.good() && !tries.bad()) return rate;
  }
  const std::optional<std::uint64_t> good = highest_sustained();
  const std::optional<std::uint64_t> bad = lowest_bad();
  if (!good && !bad) return limits_.first;
  if (!good) {
    if (*bad <= limits_.lowest) return std::nullopt;
    return std::max(limits_.lowest, *bad / 2);
  }
  if (!bad && *good < limits_.highest) {
    return *good > limits_.highest / 2 ? limits_.highest : *good * 2;
  }
  if (bad && static_cast<double>(*bad) > static_cast<double>(*good) * limits_.precision) {
    const double middle = std::sqrt(static_cast<double>(*good) * static_cast<double>(*bad));
    const auto rate = static_cast<std::uint64_t>(middle);
    if (rate > *good && rate < *bad) return rate;
  }
  return tries_.at(*good).confirmed() ? std::nullopt : good;
}

void RateSearch::answer(std::uint64_t rate, bool sustained) {
  ++steps_;
  Tries& tries = tries_[rate];
  ++(sustained ? tries.sustained : tries.failed);
}

std::optional<std::uint64_t> RateSearch::lowest_bad() const {
  const auto at = std::find_if(tries_.begin(), tries_.end(),
                               [](const auto& entry) { return entry.second.bad(); });
  return at == tries_.end() ? std::nullopt : std::optional(at->first);
}

std::optional<std::uint64_t> RateSearch::highest_sustained() const {
  std::optional<std::uint64_t> best;
  for (const auto& [rate, tries] : tries_) {
    if (tries.bad()) break;
    if (tries.good()) best = rate;
  }
  return best;
}

}  // namespace tidemark
