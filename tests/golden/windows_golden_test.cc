// The worked examples in tables/, through every strategy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/case_table.h"
#include "support/collecting_sink.h"
#include "support/stepped_partition.h"
#include "support/test_paths.h"
#include "tidemark/operators/pipeline.h"

namespace tidemark::test_support {

void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.file << ":" << golden.line << " " << golden.name;
}

namespace {

bool is_filler(const std::vector<Cell>& keys) { return keys.at(0) == Cell("filler"); }

// Counts the results of the case's own rows while the run is going on.
class CountingSink : public CollectingSink {
 public:
  explicit CountingSink(const GoldenCase& golden)
      : CollectingSink(golden.query), has_filler_(golden.has_filler) {}

  void accept(const Batch& batch) override {
    CollectingSink::accept(batch);
    count_.store(own_results().size(), std::memory_order_relaxed);
  }

  std::vector<ResultRow> own_results() const {
    std::vector<ResultRow> own = results();
    if (has_filler_) std::erase_if(own, [](const ResultRow& row) { return is_filler(row.keys); });
    return own;
  }

  // Relaxed is enough: the source only compares the number.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  bool has_filler_;
  std::atomic<std::size_t> count_{0};
};

class WindowsGolden : public ::testing::TestWithParam<GoldenCase> {
 protected:
  void run_and_check(Strategy strategy, std::size_t cores, std::size_t batch_rows) {
    const GoldenCase& golden = GetParam();
    WindowQuery query = golden.query;
    query.strategy = strategy;
    PipelineOptions options;
    options.cores = cores;
    options.batch_rows = batch_rows;
    options.linger = std::chrono::milliseconds(0);

    CountingSink sink(golden);
    CollectingLateSink late(query);
    std::vector<std::unique_ptr<SourcePartition>> partitions;
    partitions.push_back(
        std::make_unique<SteppedPartition>(golden.steps, [&sink] { return sink.count(); }));
    const RunReport report = run_pipeline(query, partitions, {&sink, {}}, &late, options);

    std::vector<ResultRow> results = sink.own_results();
    sort_canonically(results);
    EXPECT_EQ(to_lines(results), to_lines(golden.results));
    EXPECT_EQ(to_sorted_lines(late.rows()), to_sorted_lines(golden.late));
    EXPECT_EQ(report.rows_late, golden.late.size());
    EXPECT_EQ(report.rows_in_no_window, golden.rows_in_no_window);
    EXPECT_EQ(report.rows_bad, golden.rows_bad);
    EXPECT_EQ(report.state.live_entries, 0U);
    EXPECT_EQ(sink.faults(), std::vector<std::string>{});
  }
};

TEST_P(WindowsGolden, AnswersAreTheStatedOnes) {
  const auto valid = validate(GetParam().query);
  ASSERT_TRUE(valid) << valid.error().message;
  for (const Strategy strategy :
       {Strategy::kAuto, Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
        Strategy::kTwoStacks, Strategy::kWorstCase}) {
    WindowQuery query = GetParam().query;
    query.strategy = strategy;
    if (!validate(query)) continue;
    SCOPED_TRACE(to_string(strategy));
    run_and_check(strategy, 1, Batch::kDefaultCapacity);
    run_and_check(strategy, 2, 1);
  }
}

std::vector<GoldenCase> all_cases() {
  std::vector<std::string> paths;
  const std::filesystem::path folder = test_support::source_directory() + "/tests/golden/tables";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cases") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<GoldenCase> cases;
  for (const std::string& path : paths) {
    auto table = load_case_table(path);
    if (!table) throw std::runtime_error(table.error().message);
    cases.insert(cases.end(), table->begin(), table->end());
  }
  return cases;
}

std::string test_name(const testing::TestParamInfo<GoldenCase>& info) {
  std::string name = fmt::format("{}_{}", info.param.file, info.param.name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tables, WindowsGolden, testing::ValuesIn(all_cases()), test_name);

}  // namespace
}  // namespace tidemark::test_support
