// Workers that park at every chance: no wake-up is lost, and nothing is left behind at an end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "support/number_tasks.h"

namespace tidemark::test_support {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr WaitLadder kParkAtOnce{.spins = 0, .yields = 0, .park = true};

SchedulerOptions parking_cores(std::size_t cores) {
  SchedulerOptions options;
  options.cores = cores;
  options.ladder = kParkAtOnce;
  return options;
}

// Ends the process when `progress` stands still for five seconds: a lost wake-up cannot be cured,
// and a test that hangs tells nobody why.
class Watchdog {
 public:
  explicit Watchdog(const std::atomic<std::uint64_t>& progress)
      : progress_(progress), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    std::uint64_t last = progress_.load(std::memory_order_relaxed);
    while (!changed_.wait_for(lock, seconds(5), [this] { return done_; })) {
      const std::uint64_t now = progress_.load(std::memory_order_relaxed);
      if (now == last) {
        std::fprintf(stderr, "no progress for 5 s after %llu steps: a wake-up was lost\n",
                     static_cast<unsigned long long>(now));
        std::abort();
      }
      last = now;
    }
  }

  const std::atomic<std::uint64_t>& progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

// Answers every batch of its inbox with one of its own, `rounds` times.
class Player : public Task {
 public:
  Player(Inbox& inbox, Channel& input, Channel& output, bool serves, std::uint64_t rounds,
         std::atomic<std::uint64_t>& handovers)
      : inbox_(inbox),
        input_(input),
        output_(output),
        must_send_(serves),
        rounds_(rounds),
        handovers_(handovers) {}

  TaskStatus run() override {
    if (!must_send_) {
      Batch* ball = inbox_.try_receive();
      if (ball == nullptr) return TaskStatus::kWaiting;
      input_.release(ball);
      ++received_;
      must_send_ = true;
    }
    if (sent_ < rounds_) {
      Batch* ball = output_.try_acquire();
      if (ball == nullptr) return TaskStatus::kWaiting;
      output_.send(ball);
      ++sent_;
      must_send_ = false;
      // Relaxed: the watchdog only looks whether the number still moves.
      handovers_.fetch_add(1, std::memory_order_relaxed);
    }
    return sent_ == rounds_ && received_ == rounds_ ? TaskStatus::kFinished : TaskStatus::kProgress;
  }
  std::string name() const override { return "player"; }

 private:
  Inbox& inbox_;
  Channel& input_;
  Channel& output_;
  bool must_send_;
  std::uint64_t rounds_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::atomic<std::uint64_t>& handovers_;
};

TEST(Parking, PingPongOfOneBatchEachWayNeverSticks) {
  const std::uint64_t rounds = scaled(500'000);
  std::atomic<std::uint64_t> handovers{0};
  const Watchdog watchdog(handovers);
  Network network(parking_cores(2));
  Inbox& left = network.inbox(0);
  Inbox& right = network.inbox(1);
  Channel& to_right = network.connect(right, 0, 0, 1, 1);
  Channel& to_left = network.connect(left, 0, 1, 1, 1);
  network.add<Player>(0, left, to_left, to_right, true, rounds, handovers);
  network.add<Player>(1, right, to_right, to_left, false, rounds, handovers);
  network.run();
  EXPECT_EQ(handovers.load(), 2 * rounds);
  EXPECT_GT(network.scheduler().metrics()[0].parks, rounds / 10) << "the workers did park";
}

TEST(Parking, SlowConsumerWithOneBatchGetsEveryRow) {
  const auto rows = static_cast<std::int64_t>(scaled(10'000));
  Network network(parking_cores(2));
  Inbox& inbox = network.inbox(1);
  Channel& channel = network.connect(inbox, 0, 0, 1, 1);
  std::int64_t expected = 0;
  network.add<NumberSource>(0, std::vector<Channel*>{&channel}, NumberSource::Numbers{0, rows, 1},
                            [](std::int64_t) { return std::size_t{0}; });
  network.add<NumberSink>(1, inbox, std::vector<Channel*>{&channel},
                          [&](std::uint32_t, std::int64_t number) {
                            ASSERT_EQ(number, expected);
                            ++expected;
                            std::this_thread::sleep_for(microseconds(100));
                          });
  network.run();
  EXPECT_EQ(expected, rows);
}

// Many streams of one to three rows, one after the other over one channel. The end marker comes
// with the last row or alone after it, so "the queue is empty" and "the producer is done" cannot be
// taken in the wrong order.
class ShortStreams : public Task {
 public:
  ShortStreams(Channel& output, std::uint64_t streams) : output_(output), streams_(streams) {}

  static std::uint64_t rows_of(std::uint64_t stream) { return 1 + stream * 2'654'435'761 % 3; }
  static bool marker_alone(std::uint64_t stream) { return stream * 40'503 % 7 < 3; }

  TaskStatus run() override {
    if (stream_ == streams_) return TaskStatus::kFinished;
    Batch* batch = output_.try_acquire();
    if (batch == nullptr) return TaskStatus::kWaiting;
    const std::uint64_t rows = rows_of(stream_);
    if (row_ < rows) {
      batch->times()[0] = static_cast<EventTime>(stream_);
      batch->column(0).int64s()[0] = static_cast<std::int64_t>(row_);
      batch->set_size(1);
      ++row_;
    }
    const bool marker_follows = !batch->empty() && marker_alone(stream_);
    if (row_ == rows && !marker_follows) {
      batch->header.end_of_stream = true;
      ++stream_;
      row_ = 0;
    }
    output_.send(batch);
    return TaskStatus::kProgress;
  }
  std::string name() const override { return "short streams"; }

 private:
  Channel& output_;
  std::uint64_t streams_;
  std::uint64_t stream_ = 0;
  std::uint64_t row_ = 0;
};

class ShortStreamSink : public Task {
 public:
  ShortStreamSink(Inbox& inbox, Channel& input, std::uint64_t streams)
      : inbox_(inbox), input_(input), streams_(streams) {}

  TaskStatus run() override {
    Batch* batch = inbox_.try_receive();
    if (batch == nullptr) return TaskStatus::kWaiting;
    for (std::size_t row = 0; row < batch->size(); ++row) {
      if (batch->times()[row] != static_cast<EventTime>(stream_)) ++faults_;
      if (batch->column(0).int64s()[row] != static_cast<std::int64_t>(rows_++)) ++faults_;
    }
    if (batch->header.end_of_stream) {
      if (rows_ != ShortStreams::rows_of(stream_)) ++faults_;
      ++stream_;
      rows_ = 0;
    }
    input_.release(batch);
    return stream_ == streams_ ? TaskStatus::kFinished : TaskStatus::kProgress;
  }
  std::string name() const override { return "short stream sink"; }
  std::uint64_t faults() const { return faults_; }

 private:
  Inbox& inbox_;
  Channel& input_;
  std::uint64_t streams_;
  std::uint64_t stream_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t faults_ = 0;
};

TEST(Parking, ShortStreamsLoseNoRowAtTheirEnd) {
  for (const std::size_t credit : {1U, 2U, 3U, 4U}) {
    // With one batch on the way every handover may cost two wake-ups.
    const std::uint64_t streams = scaled(credit == 1 ? 100'000 : 300'000);
    Network network(parking_cores(2));
    Inbox& inbox = network.inbox(1);
    Channel& channel = network.connect(inbox, 0, 0, 1, credit);
    network.add<ShortStreams>(0, channel, streams);
    const auto& sink = network.add<ShortStreamSink>(1, inbox, channel, streams);
    network.run();
    EXPECT_EQ(sink.faults(), 0U) << "credit " << credit;
  }
}

TEST(Parking, TenThousandStartsAndStopsOfOneRow) {
  const std::size_t cycles = scaled(10'000);
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    Network network(parking_cores(2));
    Inbox& inbox = network.inbox(1);
    Channel& channel = network.connect(inbox, 0, 0, 1, 1 + cycle % 2);
    std::int64_t received = 0;
    network.add<NumberSource>(0, std::vector<Channel*>{&channel}, NumberSource::Numbers{7, 8, 1},
                              [](std::int64_t) { return std::size_t{0}; });
    network.add<NumberSink>(1, inbox, std::vector<Channel*>{&channel},
                            [&](std::uint32_t, std::int64_t number) { received += number; });
    network.run();
    ASSERT_EQ(received, 7) << "cycle " << cycle;
  }
}

}  // namespace
}  // namespace tidemark::test_support
