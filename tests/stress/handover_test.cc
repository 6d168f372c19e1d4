// Many producers and consumers on few cores: every number arrives once, in order, whatever the
// placement, the credit and the scheduling.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/number_tasks.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

struct Layout {
  std::size_t producers = 1;
  std::size_t consumers = 1;
  std::size_t rows = 16;
  std::size_t credit = 4;
  std::int64_t numbers = 1000;
  SchedulerOptions scheduler;
  std::optional<milliseconds> first_consumer_stalls = std::nullopt;
};

struct Received {
  std::vector<std::uint8_t> times;
  std::vector<std::int64_t> sums;
};

// Producer p sends the numbers of its residue class to the consumers in turn. Order within a
// channel is checked on the way.
Received run_layout(const Layout& layout) {
  Network network(layout.scheduler);
  Received received{std::vector<std::uint8_t>(static_cast<std::size_t>(layout.numbers) + 1),
                    std::vector<std::int64_t>(layout.consumers)};
  std::vector<std::vector<Channel*>> outputs(layout.producers);
  std::vector<Inbox*> inboxes;
  std::vector<std::vector<Channel*>> inputs(layout.consumers);
  for (std::size_t c = 0; c < layout.consumers; ++c) {
    inboxes.push_back(&network.inbox(network.core_of(c + layout.producers)));
    for (std::size_t p = 0; p < layout.producers; ++p) {
      Channel& channel = network.connect(*inboxes[c], static_cast<std::uint32_t>(p),
                                         network.core_of(p), layout.rows, layout.credit);
      outputs[p].push_back(&channel);
      inputs[c].push_back(&channel);
    }
  }
  for (std::size_t p = 0; p < layout.producers; ++p) {
    const auto step = static_cast<std::int64_t>(layout.producers);
    network.add<NumberSource>(
        network.core_of(p), outputs[p],
        NumberSource::Numbers{static_cast<std::int64_t>(p) + 1, layout.numbers + 1, step},
        [step, consumers = layout.consumers](std::int64_t n) {
          return static_cast<std::size_t>(n / step) % consumers;
        });
  }
  for (std::size_t c = 0; c < layout.consumers; ++c) {
    auto& sink = network.add<NumberSink>(
        network.core_of(c + layout.producers), *inboxes[c], inputs[c],
        [&received, c, last = std::vector<std::int64_t>(layout.producers)](
            std::uint32_t channel, std::int64_t number) mutable {
          EXPECT_GT(number, last[channel]) << "overtaken in channel " << channel;
          last[channel] = number;
          ++received.times[static_cast<std::size_t>(number)];
          received.sums[c] += number;
        });
    if (c == 0 && layout.first_consumer_stalls) {
      sink.stall_until(Clock::now() + *layout.first_consumer_stalls);
    }
  }
  network.run();
  return received;
}

void expect_each_number_once(const Layout& layout) {
  const Received received = run_layout(layout);
  EXPECT_EQ(std::accumulate(received.sums.begin(), received.sums.end(), std::int64_t{0}),
            layout.numbers * (layout.numbers + 1) / 2);
  std::size_t wrong = 0;
  for (std::size_t n = 1; n < received.times.size(); ++n) wrong += received.times[n] != 1;
  EXPECT_EQ(wrong, 0U) << "numbers lost or doubled";
}

SchedulerOptions on_cores(std::size_t cores) {
  SchedulerOptions options;
  options.cores = cores;
  return options;
}

TEST(Handover, EachNumberArrivesOnceForAnyProducersAndConsumers) {
  for (std::uint32_t seed = 0; seed < scaled(200); ++seed) {
    std::mt19937 random(seed);
    Layout layout;
    layout.producers = 1 + random() % 8;
    layout.consumers = 1 + random() % 8;
    layout.rows = 1 + random() % 256;
    layout.credit = 1 + random() % 40;
    layout.numbers = static_cast<std::int64_t>(scaled(1'000'000));
    // Small batches pay a handover for few numbers.
    if (layout.rows < 32) layout.numbers /= 20;
    layout.scheduler = on_cores(1 + random() % 4);
    layout.scheduler.ladder.spins = random() % 2 == 0 ? 0 : 64;
    layout.scheduler.ladder.yields = random() % 2 == 0 ? 0 : 16;
    expect_each_number_once(layout);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Handover, AllTasksOnOneCoreWithOneBatchPerChannel) {
  for (const std::size_t rows : {1U, 3U}) {
    expect_each_number_once({.producers = 8,
                             .consumers = 8,
                             .rows = rows,
                             .credit = 1,
                             .numbers = static_cast<std::int64_t>(scaled(500'000)),
                             .scheduler = on_cores(1)});
  }
}

TEST(Handover, RandomYieldsBetweenTasksChangeNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Layout layout{.producers = 4,
                  .consumers = 3,
                  .rows = 4,
                  .credit = 2,
                  .numbers = static_cast<std::int64_t>(scaled(50'000)),
                  .scheduler = on_cores(1 + seed % 4)};
    layout.scheduler.random_yields = seed;
    expect_each_number_once(layout);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Handover, NeverParkingWorkersLoseNothing) {
  Layout layout{.producers = 3,
                .consumers = 3,
                .rows = 8,
                .credit = 2,
                .numbers = static_cast<std::int64_t>(scaled(200'000)),
                .scheduler = on_cores(2)};
  layout.scheduler.ladder.park = false;
  expect_each_number_once(layout);
}

TEST(Handover, StalledConsumerHoldsItsProducersAndLosesNothing) {
  for (const std::size_t cores : {1U, 2U}) {
    expect_each_number_once({.producers = 2,
                             .consumers = 2,
                             .rows = 8,
                             .credit = 3,
                             .numbers = static_cast<std::int64_t>(scaled(200'000)),
                             .scheduler = on_cores(cores),
                             .first_consumer_stalls = milliseconds(200)});
  }
}

// Keeps everything it receives for a while, and gives all of it back only then.
class HoardingSink : public Task {
 public:
  HoardingSink(Inbox& inbox, Channel& input, Clock::time_point until)
      : inbox_(inbox), input_(input), until_(until) {}

  TaskStatus run() override {
    bool progress = false;
    while (Batch* batch = inbox_.try_receive()) {
      hoard_.push_back(batch);
      progress = true;
    }
    most_held_ = std::max(most_held_, hoard_.size());
    if (Clock::now() < until_) return progress ? TaskStatus::kProgress : TaskStatus::kWaiting;
    bool ended = false;
    for (Batch* batch : hoard_) {
      numbers_ += batch->size();
      ended = ended || batch->header.end_of_stream;
      input_.release(batch);
    }
    hoard_.clear();
    return ended ? TaskStatus::kFinished : TaskStatus::kWaiting;
  }
  std::optional<Clock::time_point> deadline() const override {
    return Clock::now() < until_ ? std::optional(until_) : std::nullopt;
  }
  std::string name() const override { return "hoarding sink"; }

  std::size_t most_held() const { return most_held_; }
  std::size_t numbers() const { return numbers_; }

 private:
  Inbox& inbox_;
  Channel& input_;
  Clock::time_point until_;
  std::vector<Batch*> hoard_;
  std::size_t most_held_ = 0;
  std::size_t numbers_ = 0;
};

TEST(Handover, NoMoreBatchesThanTheCreditAreOnTheWay) {
  for (const std::size_t credit : {1U, 5U, 33U, 64U}) {
    Network network(on_cores(2));
    Inbox& inbox = network.inbox(1);
    Channel& channel = network.connect(inbox, 0, 0, 1, credit);
    network.add<NumberSource>(0, std::vector<Channel*>{&channel}, NumberSource::Numbers{0, 1000, 1},
                              [](std::int64_t) { return std::size_t{0}; });
    const auto& sink =
        network.add<HoardingSink>(1, inbox, channel, Clock::now() + milliseconds(30));
    network.run();
    EXPECT_EQ(sink.most_held(), credit);
    EXPECT_EQ(sink.numbers(), 1000U);
  }
}

// One key is one path: source, one of eight workers, sink. Its rows stay in order at any
// parallelism.
TEST(Handover, OrderPerKeyIsKeptThroughEightWorkers) {
  constexpr std::size_t kWorkers = 8;
  for (const std::size_t keys : {1U, 5U, 64U}) {
    for (const std::size_t cores : {1U, 2U, 4U}) {
      Network network(on_cores(cores));
      const std::size_t sink_core = network.core_of(1);
      Inbox& sink_inbox = network.inbox(sink_core);
      std::vector<Channel*> to_workers;
      std::vector<Channel*> to_sink;
      std::vector<Inbox*> inboxes;
      for (std::uint32_t w = 0; w < kWorkers; ++w) {
        inboxes.push_back(&network.inbox(network.core_of(w)));
        to_workers.push_back(&network.connect(*inboxes[w], 0, 0, 4, 2));
        to_sink.push_back(&network.connect(sink_inbox, w, network.core_of(w), 4, 2));
      }
      const auto end = static_cast<std::int64_t>(scaled(100'000));
      network.add<NumberSource>(
          0, to_workers, NumberSource::Numbers{0, end, 1},
          [keys](std::int64_t n) { return static_cast<std::size_t>(n) % keys % kWorkers; });
      for (std::size_t w = 0; w < kWorkers; ++w) {
        network.add<Forwarder>(network.core_of(w), *inboxes[w], *to_workers[w], *to_sink[w]);
      }
      std::vector<std::int64_t> next(keys);
      std::iota(next.begin(), next.end(), 0);
      network.add<NumberSink>(
          sink_core, sink_inbox, to_sink, [&](std::uint32_t, std::int64_t number) {
            std::int64_t& expected = next[static_cast<std::size_t>(number) % keys];
            ASSERT_EQ(number, expected);
            expected += static_cast<std::int64_t>(keys);
          });
      network.run();
      for (const std::int64_t n : next) EXPECT_GE(n, end) << keys << " keys, " << cores << " cores";
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

}  // namespace
}  // namespace tidemark::test_support
