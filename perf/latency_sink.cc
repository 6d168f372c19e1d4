#include "tidemark/perf/latency_sink.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark {

namespace {

constexpr std::size_t kEndColumn = 1;

std::int64_t latency_since(Clock::time_point instant, Clock::time_point now) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now - instant).count();
}

}  // namespace

LatencySink::LatencySink(const LoadRecord& load, const WindowSpec& window, std::int64_t delay,
                         ClockReading now)
    : load_(load),
      ends_rise_(has_slices(window.kind)),
      gap_(window.kind == WindowKind::kSession ? window.size : 0),
      delay_(delay),
      fires_by_watermark_(window.kind != WindowKind::kCount),
      now_(std::move(now)) {}

void LatencySink::accept(const Batch& results) {
  const Clock::time_point now = now_();
  const std::int64_t* const ends = results.column(kEndColumn).int64s();
  const std::int64_t* const last = ends + results.size();
  for (const std::int64_t* at = ends; at != last;) {
    const std::int64_t end = *at;
    const auto differs = [end](std::int64_t other) { return other != end; };
    const std::int64_t* const next =
        ends_rise_ ? std::upper_bound(at, last, end) : std::find_if(at, last, differs);
    if (end != origin_.window_end) origin_ = origin_of(end);
    record(static_cast<std::uint64_t>(next - at), now);
    at = next;
  }
  if (cost_.is_sample()) cost_.add_sample(now_() - now);
  cost_.count(results.size());
}

LatencySink::Origin LatencySink::origin_of(EventTime window_end) const {
  Origin origin;
  origin.window_end = window_end;
  const EventTime completing = window_end + delay_;
  const std::uint64_t completes = load_.stream.first_row_at(completing);
  const std::uint64_t turns = load_.stream.rows_due_before(window_end - gap_ + (gap_ > 0 ? 1 : 0));
  const std::uint64_t end = std::min(load_.stream.rows(), load_.schedule.first_unsent());
  origin.counted = completes >= load_.first_counted && completes < end && turns > 0;
  if (!origin.counted) return origin;
  const std::uint64_t newest = turns - 1;
  origin.due = load_.schedule.due(newest);
  origin.hand_over = load_.hand_overs[newest % load_.hand_overs.size()]->handed_over(newest);
  if (fires_by_watermark_) origin.watermark = watermark_entry(completing);
  return origin;
}

// The last partition to let the watermark pass decides.
std::optional<Clock::time_point> LatencySink::watermark_entry(EventTime completing) const {
  const std::size_t shards = load_.hand_overs.size();
  std::optional<Clock::time_point> latest;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::uint64_t row = load_.stream.first_row_at(completing, shard, shards);
    const auto entered = load_.hand_overs[shard]->handed_over(row);
    if (!entered) return std::nullopt;
    latest = latest ? std::max(*latest, *entered) : *entered;
  }
  return latest;
}

void LatencySink::record(std::uint64_t results, Clock::time_point now) {
  if (!origin_.counted) return;
  latencies_.event_time_to_result.record(latency_since(origin_.due, now), results);
  if (origin_.hand_over) {
    latencies_.hand_over_to_result.record(latency_since(*origin_.hand_over, now), results);
  }
  if (origin_.watermark) {
    latencies_.watermark_to_result.record(latency_since(*origin_.watermark, now), results);
  }
}

}  // namespace tidemark
