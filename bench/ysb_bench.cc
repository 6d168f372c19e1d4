// The Yahoo streaming benchmark: of ad events keep the views, look up each ad's campaign, and count
// by campaign every 10 s. The job is written with the typed face, over structs in memory; its limit
// is the shortest hand-written loop over the same structs.
//
//   ysb_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//             --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "columns_job.h"
#include "right_results.h"
#include "tidemark/connectors/row_hash.h"
#include "tidemark/operators/job.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kEvents = 10'000'000;
constexpr std::size_t kCampaigns = 100;
constexpr std::size_t kAdsPerCampaign = 10;
constexpr std::int64_t kWindow = 10'000;
constexpr std::uint64_t kEventsPerMs = 100;

enum class EventType : std::uint8_t { kView, kClick, kPurchase };

struct AdEvent {
  EventTime time;  // ms
  std::uint32_t ad;
  EventType type;
};

std::vector<AdEvent> make_events() {
  std::vector<AdEvent> events(kEvents);
  for (std::size_t i = 0; i < kEvents; ++i) {
    const std::uint64_t hash = row_hash(1, i);
    events[i] = {static_cast<EventTime>(i / kEventsPerMs),
                 static_cast<std::uint32_t>(below(draw(hash, 1), kCampaigns * kAdsPerCampaign)),
                 static_cast<EventType>(below(draw(hash, 2), 3))};
  }
  return events;
}

// The table that events are joined with.
std::array<std::int64_t, kCampaigns * kAdsPerCampaign> make_campaigns() {
  std::array<std::int64_t, kCampaigns * kAdsPerCampaign> campaigns{};
  for (std::size_t ad = 0; ad < campaigns.size(); ++ad) {
    campaigns[ad] = static_cast<std::int64_t>(ad / kAdsPerCampaign);
  }
  return campaigns;
}

std::uint64_t hand_written(const std::vector<AdEvent>& events) {
  const auto campaigns = make_campaigns();
  std::array<std::int64_t, kCampaigns> counts{};
  std::uint64_t checksum = 0;
  EventTime edge = kWindow;
  const auto fire = [&] {
    for (std::size_t campaign = 0; campaign < kCampaigns; ++campaign) {
      if (counts[campaign] == 0) continue;
      checksum += checksum_cell_mix(edge, static_cast<std::int64_t>(campaign), counts[campaign]);
    }
    counts.fill(0);
    edge += kWindow;
  };
  for (const AdEvent& event : events) {
    while (event.time >= edge) fire();
    if (event.type == EventType::kView) ++counts[static_cast<std::size_t>(campaigns[event.ad])];
  }
  fire();
  return checksum;
}

using Partitions = std::vector<std::vector<AdEvent>>;

// In blocks, so that no partition is ahead of the other.
Partitions dealt_out(const std::vector<AdEvent>& events, std::size_t cores) {
  Partitions partitions(cores);
  constexpr std::size_t kBlock = 1024;
  for (std::size_t i = 0; i < events.size(); ++i) {
    partitions[i / kBlock % cores].push_back(events[i]);
  }
  return partitions;
}

std::uint64_t typed_job(const Partitions& partitions, Report& report) {
  const auto campaigns = make_campaigns();
  std::uint64_t checksum = 0;
  Job job;
  job.parallel_source(partitions)
      .filter([](const AdEvent& event) { return event.type == EventType::kView; })
      .event_time(&AdEvent::time, bounded_out_of_orderness(std::chrono::milliseconds(0)))
      .key_by([&campaigns](const AdEvent& event) { return campaigns[event.ad]; })
      .window(tumbling(std::chrono::milliseconds(kWindow)))
      .aggregate(count())
      .sink([&checksum](const auto& result) {
        checksum += checksum_cell_mix(result.window_end.time_since_epoch().count(), result.key(),
                                      std::get<0>(result.values));
      });
  RunOptions options;
  options.cores = partitions.size();
  report = job.run(options);
  return checksum;
}

void limit_one_thread(benchmark::State& state) {
  const std::vector<AdEvent> events = make_events();
  for (auto _ : state) benchmark::DoNotOptimize(hand_written(events));
  report_rate(state, kEvents);
}

void typed(benchmark::State& state, std::size_t cores) {
  const std::vector<AdEvent> events = make_events();
  const Partitions partitions = dealt_out(events, cores);
  std::uint64_t checksum = 0;
  Report report;
  for (auto _ : state) checksum = typed_job(partitions, report);
  if (!are_right(state, checksum, hand_written(events))) return;
  report_rate(state, kEvents);
  report_counters(state, report);
}

void one_source_one_window(benchmark::State& state) { typed(state, 1); }
void two_sources_two_windows(benchmark::State& state) { typed(state, 2); }

void once(benchmark::internal::Benchmark* bench) {
  bench->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(limit_one_thread)->Apply(once);
BENCHMARK(one_source_one_window)->Apply(once);
BENCHMARK(two_sources_two_windows)->Apply(once);

}  // namespace
}  // namespace tidemark::bench
