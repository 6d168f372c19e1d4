#include "tidemark/connectors/event_clock.h"

namespace tidemark {

void EventClock::fill(std::uint64_t first, std::uint64_t stride,
                      std::span<const std::uint64_t> random, EventTime* times) const {
  if (random.empty()) return;
  // Quotient and remainder of row * 1000 / rate go on by additions instead of a division a row.
  __extension__ using Wide = unsigned __int128;
  const auto step = static_cast<std::int64_t>(Wide{stride} * 1000 / rate_);
  const auto step_rest = static_cast<std::uint64_t>(Wide{stride} * 1000 % rate_);
  EventTime time = start_ + due(first);
  auto rest = static_cast<std::uint64_t>(Wide{first} * 1000 % rate_);
  for (std::size_t i = 0; i < random.size(); ++i) {
    times[i] = time;
    time += step;
    rest += step_rest;
    const bool carry = rest >= rate_;
    time += static_cast<std::int64_t>(carry);
    rest -= carry ? rate_ : 0;
  }
  if (disorder_ == 0) return;
  for (std::size_t i = 0; i < random.size(); ++i) {
    times[i] -= static_cast<std::int64_t>(below(random[i], disorder_ + 1));
  }
}

}  // namespace tidemark
