#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "property/naive_model.h"
#include "support/query_run.h"
#include "support/test_rows.h"
#include "support/vector_partition.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/checksum_sink.h"

namespace tidemark::test_support {
namespace {

// Many live keys of which few change between two windows: results of the others are kept, and keys
// come and go.
struct ManyKeys {
  std::string name;
  std::size_t keys;
  std::size_t rows;
  std::int64_t size;
  bool overflows;
};

void PrintTo(const ManyKeys& many, std::ostream* out) { *out << many.name; }

WindowQuery query_of(const ManyKeys& many) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"whole", ColumnType::kInt64}, {"real", ColumnType::kDouble}};
  query.windows = {sliding(std::chrono::milliseconds(many.size), std::chrono::milliseconds(100))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kAvg, 1, "avg"}};
  return query;
}

// A row a millisecond; one in fifty comes up to half a window late, one in ten has NULLs.
std::vector<Row> rows_of(const ManyKeys& many, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < many.rows; ++i) {
    Row row;
    row.time = static_cast<EventTime>(i);
    if (random() % 50 == 0) {
      row.time -= static_cast<EventTime>(random() % static_cast<std::uint64_t>(many.size / 2));
    }
    const bool is_huge = many.overflows && random() % 4 == 0;
    const auto whole = is_huge ? std::numeric_limits<std::int64_t>::max() - 5
                               : static_cast<std::int64_t>(random() % 2000) - 1000;
    row.cells = {static_cast<std::int64_t>(random() % many.keys), whole,
                 static_cast<double>(random() % 1000) / 8};
    if (random() % 10 == 0) row.cells[1] = kNull;
    if (random() % 10 == 0) row.cells[2] = kNull;
    rows.push_back(std::move(row));
  }
  return rows;
}

class ManyKeysProperty : public ::testing::TestWithParam<ManyKeys> {};

TEST_P(ManyKeysProperty, ResultsEqualTheModel) {
  const ManyKeys& many = GetParam();
  const std::vector<Row> rows = rows_of(many, 7);
  const WindowQuery query = query_of(many);
  const ModelOutcome model = run_naive_model(query, rows);
  ASSERT_EQ(many.overflows, model.overflow_count > 0);
  for (const Strategy strategy :
       {Strategy::kTwoStacks, Strategy::kWorstCase, Strategy::kSubtract}) {
    SCOPED_TRACE(to_string(strategy));
    WindowQuery shared = query;
    shared.strategy = strategy;
    RunSettings settings;
    settings.pipeline.key_collection = KeyCollection::kAlways;
    const RunOutcome run = run_query(shared, {rows}, settings);
    EXPECT_EQ(run.report.overflows.count, model.overflow_count);
    const std::vector<std::string> actual = to_lines(run.results);
    const std::vector<std::string> expected = to_lines(model.results);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Streams, ManyKeysProperty,
    ::testing::Values(ManyKeys{"few_of_many_keys_change", 2'000, 12'000, 3'000, false},
                      ManyKeys{"sums_that_overflow_for_a_while", 1'000, 8'000, 2'000, true}),
    [](const auto& instance) { return instance.param.name; });

std::uint64_t checksum_of(const WindowQuery& query, const std::vector<Row>& rows) {
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  partitions.push_back(std::make_unique<VectorPartition>(rows, Pace{}));
  ChecksumSink sink;
  run_pipeline(query, partitions, ResultSinks{nullptr, {&sink}}, nullptr, PipelineOptions{});
  EXPECT_GT(sink.results(), 100 * std::uint64_t{16'384});
  return sink.checksum();
}

TEST(ManyUncachedKeys, MoreKeysThanStayCachedGiveWhatBucketsGive) {
  const ManyKeys many{"", 40'000, 60'000, 30'000, false};
  const std::vector<Row> rows = rows_of(many, 7);
  WindowQuery query = query_of(many);
  query.strategy = Strategy::kBuckets;
  const std::uint64_t expected = checksum_of(query, rows);
  query.strategy = Strategy::kSubtract;
  EXPECT_EQ(checksum_of(query, rows), expected);
  query.strategy = Strategy::kTwoStacks;
  EXPECT_EQ(checksum_of(query, rows), expected);
  query.strategy = Strategy::kWorstCase;
  EXPECT_EQ(checksum_of(query, rows), expected);
}

}  // namespace
}  // namespace tidemark::test_support
