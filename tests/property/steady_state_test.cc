// A stream that goes on as before allocates nothing and touches no new memory, neither per row nor
// per slice.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "support/window_stage.h"
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

  static std::vector<AggregateSpec> count_and_sum() {
    return {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
            {AggregateFunction::kSum, 0, "sum"}};
  }
};

void PrintTo(const Job& job, std::ostream* out) { *out << job.name << ", keys: " << job.keys; }

WindowQuery query_of(const Job& job) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = job.windows;
  query.aggregates = job.aggregates;
  query.strategy = job.strategy;
  return query;
}

std::int64_t minor_page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// The same number of rows in every slide, spread evenly over the keys. To look for keys that are
// not needed any more takes a bit for each, now and then; that is left out.
class Stream {
 public:
  explicit Stream(const Job& job)
      : job_(job),
        query_(query_of(job)),
        batch_(query_.row_schema()),
        stage_(query_, sink_, KeyCollection::kNever) {}

  void run_slides(int slides) {
    for (int i = 0; i < slides; ++i) {
      for (int row = 0; row < kRowsPerSlide; ++row) add_row();
      send();
      time_ += kSlide;
      stage_.advance(time_ - 1);
    }
  }
  std::uint64_t results() const { return sink_.results; }

 private:
  void add_row() {
    const std::size_t row = batch_.size();
    batch_.times()[row] = time_ + static_cast<EventTime>(random_() % kSlide);
    batch_.column(0).int64s()[row] = next_row_++ * 7919 % job_.keys;
    batch_.column(1).int64s()[row] = 1;
    batch_.set_size(row + 1);
    if (batch_.full()) send();
  }
  void send() {
    stage_.add(batch_);
    batch_.clear();
  }

  Job job_;
  WindowQuery query_;
  struct Counting final : public ResultSink {
    void accept(const Batch& batch) override { results += batch.size(); }
    std::uint64_t results = 0;
  } sink_;
  Batch batch_;
  WindowStage stage_;
  std::mt19937_64 random_{7};
  std::int64_t next_row_ = 0;
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
    // Left out, as they ask for a large block now and then: a log whose windows take a chunk more
    // or less by how they lie to chunks, and sums over intervals whose sizes lie at a block's.
    if (keys != 1'000) {
      jobs.push_back({"cumulate",
                      Strategy::kTwoStacks,
                      {cumulate(milliseconds(10 * kSlide), milliseconds(kSlide))},
                      keys});
    }
    if (keys != 10'000) {
      jobs.push_back({"base_intervals", Strategy::kBaseIntervals, {slides(16), slides(4)}, keys});
    }
  }
  return jobs;
}

INSTANTIATE_TEST_SUITE_P(Jobs, SteadyState, ::testing::ValuesIn(jobs()), [](const auto& test) {
  return test.param.name + "_" + std::to_string(test.param.keys);
});

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
