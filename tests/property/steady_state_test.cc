// A stream that goes on as before allocates nothing and touches no new memory, neither per row nor
// per slice.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/window_stage.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/local_panes.h"
#include "tidemark/perf/latency_recorder.h"

namespace {

// Of this program: blocks asked for so far.
std::uint64_t allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* const block =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// Everything goes through these: the containers through the first, state through the last.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*nothrow*/) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}
extern "C" int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  *block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  return *block == nullptr ? ENOMEM : 0;
}

namespace tidemark::test_support {
namespace {

constexpr EventTime kSlide = 1'000;
constexpr int kRowsPerSlide = 4'000;

struct Job {
  std::string name;
  Strategy strategy;
  std::vector<WindowSpec> windows;
  std::int64_t keys;
  std::vector<AggregateSpec> aggregates = count_and_sum();
  std::int64_t lateness = 0;
  ColumnType key_type = ColumnType::kInt64;
  ColumnType value_type = ColumnType::kInt64;
  // Different values.
  std::int64_t values = 1;

  static std::vector<AggregateSpec> count_and_sum() {
    return {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
            {AggregateFunction::kSum, 0, "sum"}};
  }
};

void PrintTo(const Job& job, std::ostream* out) { *out << job.name << ", keys: " << job.keys; }

WindowQuery query_of(const Job& job) {
  WindowQuery query;
  query.keys = {{"key", job.key_type}};
  query.values = {{"value", job.value_type}};
  query.windows = job.windows;
  query.aggregates = job.aggregates;
  query.strategy = job.strategy;
  query.lateness = job.lateness;
  return query;
}

std::int64_t minor_page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// The same number of rows in every slide, spread evenly over the keys and over the values of each.
class Rows {
 public:
  explicit Rows(const Job& job) : job_(job) {}

  // The next row, with a time in the slide that begins at `slide`.
  void write(Batch& batch, EventTime slide) {
    const std::size_t row = batch.size();
    const std::int64_t key = next_row_ * 7919 % job_.keys;
    const std::int64_t value = next_row_ / job_.keys % job_.values;
    ++next_row_;
    batch.times()[row] = slide + static_cast<EventTime>(random_() % kSlide);
    if (job_.key_type == ColumnType::kString) {
      std::array<char, 32> text{};
      const int length = std::snprintf(text.data(), text.size(), "a key of text %ld", key);
      batch.column(0).set_string(row, {text.data(), static_cast<std::size_t>(length)});
    } else {
      batch.column(0).int64s()[row] = key;
    }
    if (job_.value_type == ColumnType::kDouble) {
      batch.column(1).doubles()[row] = 0.1 + static_cast<double>(value);
    } else {
      batch.column(1).int64s()[row] = 1 + value;
    }
    batch.set_size(row + 1);
  }

 private:
  const Job& job_;
  std::mt19937_64 random_{7};
  std::int64_t next_row_ = 0;
};

// To look for keys that are not needed any more takes a bit for each, now and then; that is left
// out.
class Stream {
 public:
  explicit Stream(const Job& job)
      : job_(job),
        query_(query_of(job)),
        batch_(query_.row_schema()),
        stage_(query_, sink_, KeyCollection::kNever) {}

  void run_slides(int slides) {
    for (int i = 0; i < slides; ++i) {
      for (int row = 0; row < kRowsPerSlide; ++row) {
        rows_.write(batch_, time_);
        if (batch_.full()) send();
      }
      send();
      time_ += kSlide;
      watermark_ = time_ - 1;
      stage_.advance(watermark_);
    }
  }
  std::uint64_t results() const { return sink_.results; }

 private:
  void send() {
    if (carries_watermarks_) {
      watermarks_.assign(batch_.size(), watermark_);
      stage_.add_in_time(batch_, watermarks_);
    } else {
      stage_.add(batch_);
    }
    batch_.clear();
  }

  Job job_;
  WindowQuery query_;
  struct Counting final : public ResultSink {
    void accept(const Batch& batch) override { results += batch.size(); }
    std::uint64_t results = 0;
  } sink_;
  bool carries_watermarks_ = query_.carries_watermarks();
  Batch batch_;
  WindowStage stage_;
  Rows rows_{job_};
  std::vector<EventTime> watermarks_;
  EventTime watermark_ = kNoWatermark;
  EventTime time_ = 0;
};

class SteadyState : public ::testing::TestWithParam<Job> {};

TEST_P(SteadyState, AllocatesNothingAndTouchesNoNewMemory) {
  Stream stream(GetParam());
  // Until all keys are known, what was needed on the way is forgotten, and the log has gone round.
  stream.run_slides(400);
  const std::uint64_t results = stream.results();
  const std::uint64_t allocations_before = allocations;
  const std::int64_t faults_before = minor_page_faults();
  stream.run_slides(50);
  EXPECT_EQ(allocations - allocations_before, 0U);
  EXPECT_EQ(minor_page_faults() - faults_before, 0);
  EXPECT_GT(stream.results(), results);
}

WindowSpec sliding_by(std::int64_t size, std::int64_t slide) {
  return sliding(std::chrono::milliseconds(size), std::chrono::milliseconds(slide));
}
WindowSpec slides(std::int64_t count) { return sliding_by(count * kSlide, kSlide); }

std::string name_of(Strategy strategy) {
  std::string name(to_string(strategy));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Each state that grows with each strategy that can keep it.
void add_growing(std::vector<Job>& jobs, std::int64_t keys) {
  for (const auto& [function, parameter] :
       std::vector<std::pair<AggregateFunction, double>>{{AggregateFunction::kCountDistinct, 0},
                                                         {AggregateFunction::kApproxDistinct, 0},
                                                         {AggregateFunction::kMedian, 0},
                                                         {AggregateFunction::kApproxQuantile, 0.9},
                                                         {AggregateFunction::kTopK, 3},
                                                         {AggregateFunction::kCollect, 0}}) {
    for (const Strategy strategy : {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
                                    Strategy::kTwoStacks, Strategy::kWorstCase}) {
      const AggregateSpec aggregate{function, 0, "result", parameter};
      const bool can_be_undone =
          algebra_of(aggregate, ColumnType::kInt64).inversion != Inversion::kNone;
      if (strategy == Strategy::kSubtract && !can_be_undone) continue;
      const WindowSpec window = slides(strategy == Strategy::kBuckets ? 1 : 6);
      Job job{std::string(to_string(function)) + "_" + name_of(strategy),
              strategy,
              {window},
              keys,
              {aggregate}};
      job.values = 50;
      jobs.push_back(job);
    }
  }
}

std::vector<Job> jobs() {
  using std::chrono::milliseconds;
  std::vector<AggregateSpec> many = Job::count_and_sum();
  for (const AggregateFunction function :
       {AggregateFunction::kMin, AggregateFunction::kMax, AggregateFunction::kAvg,
        AggregateFunction::kStddev, AggregateFunction::kFirst, AggregateFunction::kLast}) {
    many.push_back({function, 0, "a" + std::to_string(many.size())});
  }
  std::vector<Job> jobs;
  for (const std::int64_t keys : {100, 1'000, 10'000, 60'000}) {
    jobs.push_back({"tumbling", Strategy::kBuckets, {slides(1)}, keys});
    jobs.push_back({"recompute", Strategy::kRecompute, {slides(10)}, keys});
    jobs.push_back({"subtract", Strategy::kSubtract, {slides(20)}, keys});
    jobs.push_back({"two_stacks", Strategy::kTwoStacks, {slides(20)}, keys});
    jobs.push_back({"worst_case", Strategy::kWorstCase, {slides(20)}, keys});
    jobs.push_back({"many_aggregates", Strategy::kWorstCase, {slides(20)}, keys, many});
    jobs.push_back({"odd_size", Strategy::kSubtract, {sliding_by(20'500, kSlide)}, keys});
    jobs.push_back({"two_specifications", Strategy::kSubtract, {slides(20), slides(5)}, keys});
    jobs.push_back({"cumulate",
                    Strategy::kTwoStacks,
                    {cumulate(milliseconds(10 * kSlide), milliseconds(kSlide))},
                    keys});
    jobs.push_back({"base_intervals", Strategy::kBaseIntervals, {slides(16), slides(4)}, keys});
    // Of fewer keys all sessions go on.
    if (keys >= 10'000) {
      jobs.push_back({"sessions", Strategy::kAuto, {session(milliseconds(kSlide / 2))}, keys});
    }
    for (const Strategy strategy : {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
                                    Strategy::kTwoStacks, Strategy::kWorstCase}) {
      Job late{"lateness_" + name_of(strategy), strategy, {slides(6)}, keys};
      late.lateness = 5 * kSlide;
      jobs.push_back(late);
    }
    Job text{"text_keys", Strategy::kSubtract, {slides(20)}, keys};
    text.key_type = ColumnType::kString;
    jobs.push_back(text);
    for (const Strategy strategy : {Strategy::kSubtract, Strategy::kWorstCase}) {
      Job doubles{"doubles_" + name_of(strategy), strategy, {slides(20)}, keys};
      doubles.value_type = ColumnType::kDouble;
      doubles.values = 100;
      jobs.push_back(doubles);
    }
    if (keys == 100 || keys == 10'000) add_growing(jobs, keys);
  }
  return jobs;
}

INSTANTIATE_TEST_SUITE_P(Jobs, SteadyState, ::testing::ValuesIn(jobs()), [](const auto& test) {
  return test.param.name + "_" + std::to_string(test.param.keys);
});

// The source task's part where it aggregates rows itself.
TEST(LocalAggregationMemory, AllocatesNothing) {
  for (const std::int64_t keys : {1, 1000}) {
    Job job{"local", Strategy::kSubtract, {slides(20)}, keys};
    const WindowQuery query = query_of(job);
    LocalPanes panes(query, plan_query(query).front(), LocalAggregation::kAlways);
    Rows rows(job);
    Batch batch(query.row_schema());
    std::uint64_t partials = 0;
    const auto run_slides = [&](EventTime begin, EventTime end) {
      for (EventTime time = begin; time < end; time += kSlide) {
        batch.clear();
        while (batch.size() < 4000 && !batch.full()) rows.write(batch, time);
        hash_keys(batch, 1, 0, batch.size());
        EXPECT_TRUE(panes.take(batch, 0, batch.size()).empty());
        panes.close(time + kSlide - 1);
        while (const Batch* due = panes.due()) {
          partials += due->size();
          panes.sent();
        }
      }
    };
    run_slides(0, 100 * kSlide);
    const std::uint64_t allocations_before = allocations;
    partials = 0;
    run_slides(100 * kSlide, 150 * kSlide);
    EXPECT_EQ(allocations - allocations_before, 0U) << keys;
    EXPECT_EQ(partials, 50U * static_cast<std::uint64_t>(keys));
  }
}

TEST(LatencyRecorderMemory, RecordingAndMergingLatenciesAllocatesNothing) {
  LatencyRecorder recorder;
  LatencyRecorder other;
  const std::uint64_t before = allocations;
  std::uint64_t recorded = 0;
  for (std::int64_t value = -1; value < 4 * LatencyRecorder::kLongest; value += value / 3 + 2) {
    recorder.record(value);
    other.record(value, 2);
    recorded += 3;
  }
  recorder.merge(other);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(recorder.count(), recorded);
}

}  // namespace
}  // namespace tidemark::test_support
