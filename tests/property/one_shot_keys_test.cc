// A long stream whose keys come once and never again: state ends, and its memory comes back.
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

constexpr std::int64_t kStableKeys = 5'000;
constexpr std::int64_t kOneShotKeys = 1'000'000;
constexpr EventTime kSlide = 1'000;

struct Job {
  std::string name;
  Strategy strategy;
  std::int64_t slides_per_window;
  bool text_keys;
  bool sessions = false;      // with a gap below a slide
  std::int64_t lateness = 0;  // ms
};

void PrintTo(const Job& job, std::ostream* out) { *out << job.name; }

WindowQuery query_of(const Job& job) {
  WindowQuery query;
  query.keys = {{"key", job.text_keys ? ColumnType::kString : ColumnType::kInt64}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = {sliding(std::chrono::milliseconds(job.slides_per_window * kSlide),
                           std::chrono::milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kSum, 0, "sum"}};
  if (job.sessions) query.windows = {session(std::chrono::milliseconds(kSlide - 2))};
  query.lateness = job.lateness;
  query.strategy = job.strategy;
  return query;
}

// Bytes that the process has from the allocator; 0 where a sanitizer keeps its own books.
std::size_t allocated_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Time goes on by a slide at a time: in each, every stable key has a row, and so many new keys.
class Stream {
 public:
  explicit Stream(const Job& job)
      : job_(job),
        query_(query_of(job)),
        batch_(query_.row_schema()),
        stage_(query_, sink_, KeyCollection::kWhenDue) {}

  void run_slides(std::int64_t slides, std::int64_t new_keys) {
    for (std::int64_t i = 0; i < slides; ++i) {
      for (std::int64_t key = 0; key < kStableKeys; ++key) add_row(key);
      for (std::int64_t key = 0; key < new_keys; ++key) add_row(next_key_++);
      send();
      time_ += kSlide;
      stage_.advance(time_ - 1);
    }
  }
  void finish() { stage_.finish(); }

  StateCounters state() const { return stage_.state(); }
  std::size_t late_rows() const { return stage_.late_rows(); }

 private:
  void add_row(std::int64_t key) {
    const std::size_t row = batch_.size();
    batch_.times()[row] = time_ + (job_.sessions ? 0 : key % kSlide);
    if (job_.text_keys) {
      batch_.column(0).set_string(
          row, "a key that is too long to be kept in place: " + std::to_string(key));
    } else {
      batch_.column(0).int64s()[row] = key;
    }
    batch_.column(1).int64s()[row] = key;
    batch_.set_size(row + 1);
    if (batch_.full()) send();
  }
  void send() {
    if (query_.carries_watermarks()) {
      const std::vector<EventTime> watermarks(batch_.size(), time_ - 1);
      stage_.add_in_time(batch_, watermarks);
    } else {
      stage_.add(batch_);
    }
    batch_.clear();
  }

  Job job_;
  WindowQuery query_;
  class Discarding final : public ResultSink {
    void accept(const Batch& /*results*/) override {}
  } sink_;
  Batch batch_;
  WindowStage stage_;
  EventTime time_ = 0;
  std::int64_t next_key_ = kStableKeys;
};

class OneShotKeys : public ::testing::TestWithParam<Job> {
 protected:
  // Windows, and then as many firings again as it takes to see that what was needed is not any
  // more.
  void settle(Stream& stream) const { stream.run_slides(2 * GetParam().slides_per_window + 40, 0); }

  static void expect_nothing_left(Stream& stream) {
    stream.finish();
    const StateCounters state = stream.state();
    EXPECT_EQ(state.live_keys, 0U);
    EXPECT_EQ(state.keys, 0U);
    EXPECT_EQ(state.live_entries, 0U);
    EXPECT_LT(state.state_bytes, 100'000U);
    EXPECT_EQ(stream.late_rows(), 0U);
  }
};

void expect_within_five_percent(std::size_t after, std::size_t before) {
  EXPECT_LE(static_cast<double>(after), 1.05 * static_cast<double>(before));
}

TEST_P(OneShotKeys, AMillionOfThemLeaveNoMoreMemoryInUseThanBefore) {
  Stream stream(GetParam());
  settle(stream);
  const StateCounters before = stream.state();
  const std::size_t allocated_before = allocated_bytes();
  EXPECT_LE(before.live_keys, static_cast<std::uint64_t>(kStableKeys));

  constexpr std::int64_t kNewKeys = 5'000;
  stream.run_slides(kOneShotKeys / kNewKeys, kNewKeys);
  // The keys of the windows that are open, and as many again that have just left them.
  const std::int64_t slides = GetParam().slides_per_window + GetParam().lateness / kSlide;
  const std::int64_t in_windows = kStableKeys + slides * kNewKeys;
  EXPECT_LE(stream.state().peak_keys, static_cast<std::uint64_t>(2 * in_windows + kNewKeys));

  settle(stream);
  const StateCounters after = stream.state();
  EXPECT_EQ(after.live_keys, before.live_keys);
  EXPECT_EQ(after.live_entries, before.live_entries);
  expect_within_five_percent(after.state_bytes, before.state_bytes);
  expect_within_five_percent(allocated_bytes(), allocated_before);
  expect_nothing_left(stream);
}

TEST_P(OneShotKeys, AMillionAtOnceAreGoneAFewFiringsAfterTheirLast) {
  Stream stream(GetParam());
  settle(stream);
  const StateCounters before = stream.state();
  const std::size_t allocated_before = allocated_bytes();
  stream.run_slides(1, kOneShotKeys);
  EXPECT_GT(stream.state().state_bytes, 10 * before.state_bytes);

  stream.run_slides(GetParam().slides_per_window + 40, 0);
  const StateCounters after = stream.state();
  EXPECT_EQ(after.live_keys, before.live_keys);
  EXPECT_EQ(after.live_entries, before.live_entries);
  expect_within_five_percent(after.state_bytes, before.state_bytes);
  expect_within_five_percent(allocated_bytes(), allocated_before);
  expect_nothing_left(stream);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, OneShotKeys,
    ::testing::Values(Job{"tumbling", Strategy::kBuckets, 1, false},
                      Job{"tumbling_text", Strategy::kBuckets, 1, true},
                      Job{"sliding_buckets", Strategy::kBuckets, 4, false},
                      Job{"sliding_recompute", Strategy::kRecompute, 4, false},
                      Job{"sliding_subtract", Strategy::kSubtract, 8, false},
                      Job{"sliding_two_stacks", Strategy::kTwoStacks, 8, false},
                      Job{"sessions", Strategy::kAuto, 2, false, true},
                      Job{"late_rows_welcome", Strategy::kAuto, 1, false, false, 2 * kSlide}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace tidemark::test_support
