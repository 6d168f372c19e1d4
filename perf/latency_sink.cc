#include "tidemark/perf/latency_sink.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark {

namespace {
constexpr std::size_t kEndColumn = 1;
}  // namespace

LatencySink::LatencySink(const BenchStream& stream, const LoadSchedule& schedule,
                         std::int64_t delay, std::uint64_t first_counted, ClockReading now)
    : stream_(stream),
      schedule_(schedule),
      delay_(delay),
      first_counted_(first_counted),
      now_(std::move(now)) {}

void LatencySink::accept(const Batch& results) {
  const Clock::time_point now = now_();
  const std::int64_t* const ends = results.column(kEndColumn).int64s();
  const std::int64_t* const last = ends + results.size();
  // Windows fire in the order of their ends, so equal ends stand together.
  for (const std::int64_t* at = ends; at != last;) {
    const std::int64_t* const next = std::upper_bound(at, last, *at);
    record(*at, static_cast<std::uint64_t>(next - at), now);
    at = next;
  }
}

void LatencySink::record(EventTime window_end, std::uint64_t results, Clock::time_point now) {
  const std::uint64_t row = stream_.first_row_at(window_end + delay_);
  if (row < first_counted_ || row >= stream_.rows()) return;
  const auto latency =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - schedule_.due(row));
  latencies_.record(latency.count(), results);
}

}  // namespace tidemark
