// Which sides can be compared, and what of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/benchmark_rows.h"
#include "support/tidemark_documents.h"
#include "tidemark/perf/comparison.h"

namespace tidemark {
namespace {

using Json = nlohmann::ordered_json;
using JsonPath = nlohmann::json_pointer<std::string>;
using test_support::bench_document;
using test_support::benchmark_json;
using test_support::profile_document;
using test_support::steady_rows;
using test_support::suite_document;
using testing::HasSubstr;

Measurement side_of_document(const Json& document, const char* source) {
  Expected<Measurement> measurement =
      read_measurement(document.dump(), source, BenchmarkTime::kReal);
  EXPECT_TRUE(measurement) << measurement.error().message;
  return measurement ? *measurement : Measurement{};
}

Comparison compare_documents(const Json& base, const Json& next, const CompareOptions& options) {
  return compare(side_of_document(base, "base.json"), side_of_document(next, "new.json"), options);
}

const FigureComparison& compared_figure(const Comparison& comparison, const std::string& name) {
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.name == name) return figure;
  }
  throw std::out_of_range(name);
}

std::vector<std::string> compared_names(const Comparison& comparison, Verdict verdict) {
  std::vector<std::string> names;
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.verdict == verdict) names.push_back(figure.name);
  }
  return names;
}

struct ChangedOption {
  const char* name;
  Json base;
  const char* option;
  const char* checksum;
  const char* figure;
};
class ChangedOptionTest : public testing::TestWithParam<ChangedOption> {};

TEST_P(ChangedOptionTest, IsNoReasonToCallResultsWrongWhereItIsAllowed) {
  CompareOptions options;
  options.allow_different = options.counters_only = true;
  Json next = GetParam().base;
  next[JsonPath(GetParam().option)] = 99;
  next[JsonPath(GetParam().checksum)] = "0x2";
  const Comparison comparison = compare_documents(GetParam().base, next, options);
  EXPECT_EQ(comparison.wrong, "");
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
  const FigureComparison& figure = compared_figure(comparison, GetParam().figure);
  EXPECT_THAT(figure.reason, HasSubstr("not compared"));
  EXPECT_EQ(figure.next->text, "0x2");
}

TEST_P(ChangedOptionTest, AnotherMachineLeavesChecksumsToBeCompared) {
  CompareOptions options;
  options.allow_different = options.counters_only = true;
  Json next = GetParam().base;
  next["machine"]["cpus"] = 64;
  next[JsonPath(GetParam().checksum)] = "0x2";
  EXPECT_THAT(compare_documents(GetParam().base, next, options).wrong, HasSubstr("results differ"));
}

INSTANTIATE_TEST_SUITE_P(
    Documents, ChangedOptionTest,
    testing::Values(
        ChangedOption{"bench", bench_document(), "/options/keys", "/counters/checksum", "checksum"},
        ChangedOption{"job_of_a_suite", suite_document(), "/suite/1/options/keys",
                      "/suite/1/counters/checksum", "sessions checksum"},
        ChangedOption{"profile", profile_document(), "/options/keys", "/cells/0/checksum",
                      "size=1h slide=1s keys=10 two-stacks checksum"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ComparabilityTest, AnotherOptionOfOneJobLeavesTheChecksumsOfTheOthersToBeCompared) {
  CompareOptions options;
  options.allow_different = options.counters_only = true;
  Json next = suite_document();
  next["suite"][1]["options"]["keys"] = 99;
  next["suite"][0]["counters"]["checksum"] = "0x2";
  EXPECT_THAT(compare_documents(suite_document(), next, options).wrong,
              HasSubstr("panes checksum"));
}

TEST(ComparabilityTest, AJobThatOnlyOneSideHasIsAddedOrMissing) {
  CompareOptions options;
  options.counters_only = true;
  Json more = suite_document();
  more["suite"].push_back(test_support::suite_job_document("distinct"));
  const Json usual = suite_document();
  const std::vector<std::string> figures{"distinct merges", "distinct results", "distinct checksum",
                                         "distinct instructions", "distinct throughput"};
  const Comparison added = compare_documents(usual, more, options);
  EXPECT_EQ(added.not_comparable, "");
  EXPECT_EQ(compared_names(added, Verdict::kAdded), figures);
  EXPECT_EQ(added.verdict(), OverallVerdict::kSame);
  const Comparison missing = compare_documents(more, usual, options);
  EXPECT_EQ(missing.not_comparable, "");
  EXPECT_EQ(compared_names(missing, Verdict::kMissing), figures);
  EXPECT_EQ(missing.verdict(), OverallVerdict::kRegressed);
  options.allow_missing = true;
  EXPECT_EQ(compare_documents(more, usual, options).verdict(), OverallVerdict::kSame);
}

TEST(ComparabilityTest, AJobWithOtherOptionsOnEachSideIsRefused) {
  Json next = suite_document();
  next["suite"][1]["options"]["keys"] = 99;
  EXPECT_THAT(compare_documents(suite_document(), next, {}).not_comparable,
              HasSubstr("suite.sessions.keys (4 and 99)"));
}

TEST(ComparabilityTest, SidesWithoutAFigureInCommonAreNotComparable) {
  for (const bool allow_missing : {false, true}) {
    CompareOptions options;
    options.allow_missing = allow_missing;
    const Comparison comparison =
        compare_documents(Json::parse(benchmark_json(steady_rows("BM_A", 10))),
                          Json::parse(benchmark_json(steady_rows("BM_B", 10))), options);
    EXPECT_EQ(comparison.verdict(),
              allow_missing ? OverallVerdict::kNotComparable : OverallVerdict::kRegressed);
    if (allow_missing) {
      EXPECT_THAT(comparison.not_comparable, HasSubstr("no figure in common"));
    }
  }
}

}  // namespace
}  // namespace tidemark
