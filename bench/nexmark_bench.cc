// Queries 5, 7, 8, 11 and 12 of the Nexmark benchmark over events in memory, made by the rules of
// Apache Beam's generator at 10,000 events a second. Beside each pipeline stands the shortest
// hand-written loop that gives the same answer. Rows are the events that a query reads: bids for
// all but query 8, which reads people and auctions.
//
//   nexmark_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "columns_job.h"
#include "limit_keys.h"
#include "right_results.h"
#include "row_columns.h"
#include "tidemark/connectors/nexmark_stream.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kWindow = 10'000;
constexpr std::size_t kBids = 6'000'000;

NexmarkStream stream() { return NexmarkStream(GeneratorParameters{}); }

// The highest value of a window, and all keys that have it.
using Winners = std::map<EventTime, std::pair<std::int64_t, std::uint64_t>>;

void keep_winner(Winners& winners, EventTime end, std::int64_t value, std::uint64_t mark) {
  auto& [best, marks] = winners[end];
  if (value > best || marks == 0) {
    best = value;
    marks = 0;
  }
  if (value == best) marks += mark;
}

std::uint64_t checksum_of_winners(const Winners& winners) {
  std::uint64_t checksum = 0;
  for (const auto& [end, winner] : winners) {
    checksum += checksum_cell_mix(end, winner.first, static_cast<std::int64_t>(winner.second));
  }
  return checksum;
}

// Keeps, of each window, the keys with the highest aggregate.
class WinnerSink final : public ResultSink {
 public:
  void accept(const Batch& results) override {
    const std::int64_t* const ends = results.column(1).int64s();
    const std::int64_t* const keys = results.column(2).int64s();
    const std::int64_t* const values = results.column(3).int64s();
    std::size_t row = 0;
    while (row < results.size()) {
      const EventTime end = ends[row];
      std::int64_t best = INT64_MIN;
      std::uint64_t marks = 0;
      for (; row < results.size() && ends[row] == end; ++row) {
        if (values[row] < best) continue;
        if (values[row] > best) marks = 0;
        best = values[row];
        marks += checksum_bits(static_cast<std::uint64_t>(keys[row]));
      }
      keep_winner(winners_, end, best, marks);
    }
  }
  const Winners& winners() const { return winners_; }

 private:
  Winners winners_;
};

std::uint64_t checksum_of_sinks(const std::vector<WinnerSink>& sinks) {
  Winners all = sinks.front().winners();
  for (std::size_t i = 1; i < sinks.size(); ++i) {
    for (const auto& [end, winner] : sinks[i].winners()) {
      keep_winner(all, end, winner.first, winner.second);
    }
  }
  return checksum_of_winners(all);
}

// Query 5: the auctions with the most bids of the last 10 s, every 2 s.
namespace q5 {

constexpr std::int64_t kSlide = 2000;

WindowQuery query() {
  WindowQuery query;
  query.windows = {sliding(milliseconds(kWindow), milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "bids"}};
  return query;
}

std::uint64_t limit(const RowColumns& bids) {
  struct Pane {
    std::vector<std::pair<std::uint32_t, std::int64_t>> entries;
  };
  LimitKeys auctions;
  std::vector<std::int64_t> open;
  std::vector<std::uint32_t> touched;
  std::vector<std::int64_t> running;
  std::deque<Pane> panes;
  Winners winners;
  std::int64_t live = 0;
  EventTime edge = (bids.times.front() / kSlide + 1) * kSlide;
  const auto slide = [&] {
    Pane pane;
    for (const std::uint32_t slot : touched) {
      pane.entries.emplace_back(slot, open[slot]);
      running[slot] += std::exchange(open[slot], 0);
    }
    touched.clear();
    live += static_cast<std::int64_t>(pane.entries.size());
    panes.push_back(std::move(pane));
    std::int64_t best = 0;
    std::uint64_t marks = 0;
    for (std::uint32_t slot = 0; slot < running.size(); ++slot) {
      if (running[slot] < best || running[slot] == 0) continue;
      if (running[slot] > best) marks = 0;
      best = running[slot];
      marks += checksum_bits(static_cast<std::uint64_t>(auctions.key(slot)));
    }
    if (best > 0) keep_winner(winners, edge, best, marks);
    if (panes.size() == kWindow / kSlide) {
      for (const auto& [slot, count] : panes.front().entries) running[slot] -= count;
      live -= static_cast<std::int64_t>(panes.front().entries.size());
      panes.pop_front();
    }
    edge += kSlide;
  };
  for (std::size_t i = 0; i < bids.size(); ++i) {
    while (bids.times[i] >= edge) slide();
    const std::uint32_t slot = auctions.slot_of(bids.keys[i]);
    if (slot == open.size()) {
      open.push_back(0);
      running.push_back(0);
    }
    if (open[slot]++ == 0) touched.push_back(slot);
  }
  do slide();
  while (live > 0);
  return checksum_of_winners(winners);
}

}  // namespace q5

// Query 7: the highest bid of every 10 s, and who made it. The value is the price with the auction
// in the low bits, so that the maximum tells both.
namespace q7 {

constexpr int kAuctionBits = 32;

WindowQuery query() {
  WindowQuery query;
  query.windows = {tumbling(milliseconds(kWindow))};
  query.aggregates = {{AggregateFunction::kMax, 0, "bid"}};
  return query;
}

std::uint64_t limit(const RowColumns& bids) {
  std::uint64_t checksum = 0;
  EventTime edge = (bids.times.front() / kWindow + 1) * kWindow;
  std::int64_t best = INT64_MIN;
  const auto fire = [&] { checksum += checksum_cell_mix(edge, 0, best); };
  for (std::size_t i = 0; i < bids.size(); ++i) {
    if (bids.times[i] >= edge) {
      fire();
      edge = (bids.times[i] / kWindow + 1) * kWindow;
      best = INT64_MIN;
    }
    best = std::max(best, bids.values[i]);
  }
  fire();
  return checksum;
}

}  // namespace q7

// Query 8: people who opened auctions in the 10 s in which they joined. Rows are people, with value
// 1, and auctions by their seller, with a value of 2^32; the sum tells who has both.
namespace q8 {

constexpr std::int64_t kAuction = std::int64_t{1} << 32;

WindowQuery query() {
  WindowQuery query;
  query.windows = {tumbling(milliseconds(kWindow))};
  query.aggregates = {{AggregateFunction::kSum, 0, "kinds"}};
  return query;
}

bool has_both(std::int64_t sum) { return sum % kAuction > 0 && sum >= kAuction; }

class NewSellerSink final : public ResultSink {
 public:
  void accept(const Batch& results) override {
    for (std::size_t row = 0; row < results.size(); ++row) {
      const std::int64_t sum = results.column(3).int64s()[row];
      if (!has_both(sum)) continue;
      checksum_ += checksum_cell_mix(results.column(1).int64s()[row],
                                     results.column(2).int64s()[row], sum / kAuction);
    }
  }
  std::uint64_t checksum() const { return checksum_; }

 private:
  std::uint64_t checksum_ = 0;
};

std::uint64_t limit(const RowColumns& rows) {
  LimitKeys people;
  std::vector<std::int64_t> sums;
  std::vector<std::uint32_t> touched;
  std::uint64_t checksum = 0;
  EventTime edge = (rows.times.front() / kWindow + 1) * kWindow;
  const auto fire = [&] {
    for (const std::uint32_t slot : touched) {
      const std::int64_t sum = std::exchange(sums[slot], 0);
      if (has_both(sum)) checksum += checksum_cell_mix(edge, people.key(slot), sum / kAuction);
    }
    touched.clear();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.times[i] >= edge) {
      fire();
      edge = (rows.times[i] / kWindow + 1) * kWindow;
    }
    const std::uint32_t slot = people.slot_of(rows.keys[i]);
    if (slot == sums.size()) sums.push_back(0);
    if (sums[slot] == 0) touched.push_back(slot);
    sums[slot] += rows.values[i];
  }
  fire();
  return checksum;
}

RowColumns rows() {
  const NexmarkStream events = stream();
  RowColumns rows;
  const std::size_t people = kBids / 4;
  rows.reserve(4 * people);
  for (std::size_t person = 0; person < people; ++person) {
    rows.add(events.person(person).time, events.person(person).id, 1);
    for (std::size_t n = 0; n < NexmarkStream::kAuctionsPerEpoch; ++n) {
      const NexmarkAuction auction = events.auction(person * NexmarkStream::kAuctionsPerEpoch + n);
      rows.add(auction.time, auction.seller, kAuction);
    }
  }
  return rows;
}

}  // namespace q8

// Query 11: bids of each bidder in sessions that end after 10 s without one.
namespace q11 {

WindowQuery query() {
  WindowQuery query;
  query.windows = {session(milliseconds(kWindow))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "bids"}};
  return query;
}

std::uint64_t limit(const RowColumns& bids) {
  struct Session {
    EventTime last = INT64_MIN / 2;
    std::int64_t count = 0;
  };
  LimitKeys bidders;
  std::vector<Session> sessions;
  std::uint64_t checksum = 0;
  const auto end = [&](std::uint32_t slot) {
    const Session& session = sessions[slot];
    checksum += checksum_cell_mix(session.last + kWindow, bidders.key(slot), session.count);
  };
  for (std::size_t i = 0; i < bids.size(); ++i) {
    const std::uint32_t slot = bidders.slot_of(bids.keys[i]);
    if (slot == sessions.size()) sessions.emplace_back();
    Session& session = sessions[slot];
    if (bids.times[i] - session.last > kWindow) {
      if (session.count > 0) end(slot);
      session.count = 0;
    }
    session.last = bids.times[i];
    ++session.count;
  }
  for (std::uint32_t slot = 0; slot < sessions.size(); ++slot) end(slot);
  return checksum;
}

}  // namespace q11

// Query 12: bids of each bidder in every 10 s of processing time. What is in which window depends
// on the clock, so what is checked is that every bid is counted once.
namespace q12 {

WindowQuery query() {
  WindowQuery query;
  query.windows = {tumbling(milliseconds(kWindow))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "bids"}};
  query.time_domain = TimeDomain::kProcessing;
  return query;
}

class TotalSink final : public ResultSink {
 public:
  void accept(const Batch& results) override {
    for (std::size_t row = 0; row < results.size(); ++row) {
      total_ += static_cast<std::uint64_t>(results.column(3).int64s()[row]);
    }
  }
  std::uint64_t checksum() const { return total_; }

 private:
  std::uint64_t total_ = 0;
};

std::uint64_t limit(const RowColumns& bids) {
  LimitKeys bidders;
  std::vector<std::uint64_t> counts;
  std::uint64_t total = 0;
  const auto fire = [&] {
    for (std::uint64_t& count : counts) total += std::exchange(count, 0);
  };
  auto edge = std::chrono::steady_clock::now() + milliseconds(kWindow);
  for (std::size_t i = 0; i < bids.size(); ++i) {
    if (i % 1024 == 0 && std::chrono::steady_clock::now() >= edge) {
      fire();
      edge += milliseconds(kWindow);
    }
    const std::uint32_t slot = bidders.slot_of(bids.keys[i]);
    if (slot == counts.size()) counts.push_back(0);
    ++counts[slot];
  }
  fire();
  return total;
}

}  // namespace q12

enum class Key : std::uint8_t { kAuction, kBidder, kNone };

RowColumns bids(Key key) {
  const NexmarkStream events = stream();
  RowColumns rows;
  rows.reserve(kBids);
  for (std::size_t n = 0; n < kBids; ++n) {
    const NexmarkBid bid = events.bid(n);
    const std::int64_t value = key == Key::kNone ? bid.price << q7::kAuctionBits | bid.auction : 1;
    rows.add(bid.time,
             key == Key::kAuction  ? bid.auction
             : key == Key::kBidder ? bid.bidder
                                   : 0,
             value);
  }
  return rows;
}

template <typename Sink>
std::uint64_t total_checksum(const std::vector<Sink>& sinks) {
  if constexpr (std::is_same_v<Sink, WinnerSink>) {
    return checksum_of_sinks(sinks);
  } else {
    std::uint64_t checksum = 0;
    for (const Sink& sink : sinks) checksum += sink.checksum();
    return checksum;
  }
}

using Limit = std::uint64_t (*)(const RowColumns&);

void run_limit(benchmark::State& state, const RowColumns& rows, Limit limit) {
  for (auto _ : state) benchmark::DoNotOptimize(limit(rows));
  report_rate(state, rows.size());
}

template <typename Sink>
void run_pipeline_of(benchmark::State& state, const RowColumns& rows, const WindowQuery& query,
                     std::size_t cores, Limit limit) {
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    std::vector<Sink> sinks(cores);
    report = run_columns(query, rows, sinks);
    checksum = total_checksum(sinks);
  }
  report_rate(state, rows.size());
  report_counters(state, report);
  if (!are_right(state, checksum, limit(rows))) return;
}

template <typename Sink>
void add(const char* name, const std::function<RowColumns()>& make_rows, const WindowQuery& query,
         Limit limit) {
  const std::string prefix = name;
  const auto once = [](benchmark::internal::Benchmark* bench) {
    bench->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  once(benchmark::RegisterBenchmark(
      (prefix + "/limit_one_thread").c_str(),
      [=](benchmark::State& state) { run_limit(state, make_rows(), limit); }));
  for (const std::size_t cores : {1U, 2U}) {
    const char* const topology = cores == 1 ? "/one_source_one_window" : "/two_sources_two_windows";
    once(benchmark::RegisterBenchmark((prefix + topology).c_str(), [=](benchmark::State& state) {
      run_pipeline_of<Sink>(state, make_rows(), query, cores, limit);
    }));
  }
}

[[maybe_unused]] const bool registered = [] {
  add<WinnerSink>(
      "q5_sliding", [] { return bids(Key::kAuction); }, q5::query(), q5::limit);
  add<ChecksumSink>(
      "q7_tumbling", [] { return bids(Key::kNone); }, q7::query(), q7::limit);
  add<q8::NewSellerSink>("q8_tumbling", q8::rows, q8::query(), q8::limit);
  add<ChecksumSink>(
      "q11_session", [] { return bids(Key::kBidder); }, q11::query(), q11::limit);
  add<q12::TotalSink>(
      "q12_processing_time", [] { return bids(Key::kBidder); }, q12::query(), q12::limit);
  return true;
}();

}  // namespace
}  // namespace tidemark::bench
