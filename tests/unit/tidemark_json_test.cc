#include "tidemark/perf/tidemark_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "support/tidemark_documents.h"

namespace tidemark {
namespace {

using Json = nlohmann::ordered_json;
using JsonPath = nlohmann::json_pointer<std::string>;
using test_support::bench_document;
using test_support::profile_document;
using test_support::suite_document;
using testing::ElementsAre;
using testing::HasSubstr;

Expected<Measurement> read(const Json& document) {
  return read_measurement(document.dump(1), "base.json", BenchmarkTime::kReal);
}

Figure figure_of(const Json& document, const std::string& name) {
  const Expected<Measurement> measurement = read(document);
  EXPECT_TRUE(measurement) << measurement.error().message;
  const Figure* figure = measurement ? find_figure(*measurement, name) : nullptr;
  EXPECT_NE(figure, nullptr) << name;
  return figure == nullptr ? Figure{} : *figure;
}

TEST(TidemarkJsonTest, RepeatsPercentilesAndCountersOfABenchAreFigures) {
  Json document = bench_document();
  document["counters"]["instructions"] = 100;
  const Expected<Measurement> measurement = read(document);
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->commit, "abc");
  EXPECT_EQ(measurement->wrong, "");
  EXPECT_THAT(figure_of(document, "throughput").samples, ElementsAre(10, 12));
  EXPECT_THAT(figure_of(document, "throughput per CPU second").samples, ElementsAre(20, 15));
  EXPECT_THAT(figure_of(document, "event_time_to_result p99").samples, ElementsAre(1'500));
  EXPECT_TRUE(figure_of(document, "event_time_to_result p99").needs_runs);
  EXPECT_EQ(find_figure(*measurement, "watermark_to_result p50"), nullptr);
  EXPECT_THAT(figure_of(document, "highest sustained rate").samples, ElementsAre(90));
  EXPECT_EQ(figure_of(document, "updates").better, Better::kLower);
  EXPECT_EQ(figure_of(document, "results").better, Better::kEqual);
  EXPECT_EQ(figure_of(document, "checksum").text, "0x1");
  EXPECT_EQ(figure_of(document, "instructions").kind, FigureKind::kInstructions);
}

TEST(TidemarkJsonTest, EachJobOfASuiteHasFiguresOfItsOwn) {
  const Json document = suite_document();
  EXPECT_THAT(figure_of(document, "panes merges").samples, ElementsAre(4));
  EXPECT_EQ(figure_of(document, "panes instructions").kind, FigureKind::kInstructions);
  EXPECT_THAT(figure_of(document, "sessions throughput").samples, ElementsAre(1, 2));
  EXPECT_THAT(read(document)->jobs, ElementsAre("panes", "sessions"));
}

TEST(TidemarkJsonTest, CellsOfAProfileHaveCountersAndRefusedOnesNothing) {
  const Json document = profile_document();
  const std::string cell = "size=1h slide=1s keys=10 two-stacks ";
  EXPECT_THAT(figure_of(document, cell + "merges_per_slide").samples, ElementsAre(2.5));
  EXPECT_EQ(figure_of(document, cell + "merges_per_slide").better, Better::kLower);
  EXPECT_EQ(figure_of(document, cell + "results").better, Better::kEqual);
  EXPECT_EQ(figure_of(document, cell + "checksum").text, "0x1");
  EXPECT_THAT(figure_of(document, cell + "throughput").samples, ElementsAre(8, 9));
  EXPECT_TRUE(figure_of(document, cell + "throughput").needs_runs);
  EXPECT_THAT(figure_of(document, cell + "firing p99").samples, ElementsAre(4));
  EXPECT_EQ(read(document)->figures.size(), 11U);
}

TEST(TidemarkJsonTest, ARunThatFoundItsOwnResultsWrongSaysSo) {
  for (Json document : {bench_document(), suite_document(), profile_document()}) {
    document["checks"]["right"] = false;
    const Expected<Measurement> measurement = read(document);
    ASSERT_TRUE(measurement) << measurement.error().message;
    EXPECT_THAT(measurement->wrong, HasSubstr("right is false"));
  }
}

struct NotMeasured {
  const char* name;
  Json document;
  const char* path;
};
class NotMeasuredTest : public testing::TestWithParam<NotMeasured> {};

TEST_P(NotMeasuredTest, IsNullAndNoFigure) {
  Json document = GetParam().document;
  const std::size_t figures = read(document)->figures.size();
  document[JsonPath(GetParam().path)] = nullptr;
  const Expected<Measurement> measurement = read(document);
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_LT(measurement->figures.size(), figures);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, NotMeasuredTest,
    testing::Values(NotMeasured{"latency", bench_document(), "/latency"},
                    NotMeasured{"rates", bench_document(), "/rates"},
                    NotMeasured{"no_rate", bench_document(), "/rates/highest_sustained"},
                    NotMeasured{"instructions", suite_document(), "/suite/0/instructions"}),
    [](const auto& test) { return std::string(test.param.name); });

// A member, what it must be, and values that it must not have; "absent" among them is no value.
struct RefusedMember {
  Json document;
  const char* path;
  std::vector<Json> values;
  const char* must;
};
class RefusedMemberTest : public testing::TestWithParam<RefusedMember> {};

TEST_P(RefusedMemberTest, InOneSentenceThatSaysWhereAndWhat) {
  const JsonPath path(GetParam().path);
  for (const Json& value : GetParam().values) {
    Json document = GetParam().document;
    ASSERT_TRUE(read(document)) << read(document).error().message;
    if (value == "absent") {
      Json& parent = document[path.parent_pointer()];
      if (parent.is_object()) parent.erase(path.back());
    } else {
      document[path] = value;
    }
    const Expected<Measurement> measurement = read(document);
    ASSERT_FALSE(measurement) << path << " " << value;
    const std::string& message = measurement.error().message;
    EXPECT_THAT(message, HasSubstr("base.json:"));
    EXPECT_THAT(message, HasSubstr(GetParam().must)) << value;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

// Its path, and a number as paths come again.
std::string name_of_refusal(const testing::TestParamInfo<RefusedMember>& test) {
  std::string name = std::to_string(test.index);
  for (const char* c = test.param.path; *c != '\0'; ++c) {
    name += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '_';
  }
  return name;
}

const std::vector<Json> kNoNumbers{nullptr,          "x",           "NaN", "12", -1, true,
                                   Json::array({1}), Json::object()};
const std::vector<Json> kNoPositiveNumbers{nullptr,          "x",     "NaN", -1, 0, true,
                                           Json::array({1}), "absent"};
const std::vector<Json> kNoObjects{nullptr,        5,       "x", true, Json::array({1}),
                                   Json::object(), "absent"};
const std::vector<Json> kNoLists{nullptr, 5, "x", true, Json::array(), Json::object(), "absent"};
const std::vector<Json> kNoChecksums{nullptr, 5, "x", "", "0x", "0xyz", true, -1};
const std::vector<Json> kNoBooleans{nullptr, 1, "true", Json::object(), "absent"};
// Null means that it was not measured.
const std::vector<Json> kNoNullableObjects{5, "x", true, Json::array({1}), Json::object()};

INSTANTIATE_TEST_SUITE_P(
    Bench, RefusedMemberTest,
    testing::Values(
        RefusedMember{bench_document(), "/counters/updates", kNoNumbers, "updates is "},
        RefusedMember{bench_document(), "/counters/checksum", kNoChecksums, "a checksum as text"},
        RefusedMember{bench_document(), "/counters", kNoObjects,
                      "an object of at least one counter"},
        RefusedMember{bench_document(), "/throughput", kNoObjects, "a list of at least one run"},
        RefusedMember{bench_document(), "/throughput/repeats", kNoLists,
                      "a list of at least one run"},
        RefusedMember{bench_document(), "/throughput/repeats/1/rows_per_second", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{bench_document(), "/throughput/repeats/0/cpu_seconds", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{bench_document(), "/throughput/repeats/0/rows_read", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{bench_document(), "/latency", kNoNullableObjects, "count is not there"},
        RefusedMember{bench_document(), "/latency/event_time_to_result", kNoObjects,
                      "count is not there"},
        RefusedMember{bench_document(), "/latency/hand_over_to_result/count", kNoNumbers,
                      "count is "},
        RefusedMember{bench_document(), "/latency/event_time_to_result/p99", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{bench_document(), "/latency/hand_over_to_result/p99.9", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{
            bench_document(), "/latency/watermark_to_result/p50", {5, "x"}, "its count is 0"},
        RefusedMember{bench_document(), "/rates", kNoNullableObjects,
                      "highest_sustained is not there"},
        RefusedMember{bench_document(), "/rates/highest_sustained", {"x", -1, 0, true}, "above 0"},
        RefusedMember{bench_document(), "/checks/right", kNoBooleans, "true or false"},
        RefusedMember{bench_document(), "/checks", kNoObjects, "right is not there"},
        RefusedMember{
            bench_document(), "/machine", {nullptr, 5, "x", "absent"}, "machine is not there"}),
    name_of_refusal);

INSTANTIATE_TEST_SUITE_P(
    Suite, RefusedMemberTest,
    testing::Values(
        RefusedMember{suite_document(),
                      "/suite",
                      {5, "x", true, Json::array(), Json::object()},
                      "a list of at least one job"},
        RefusedMember{suite_document(), "/counters", {5, "x", Json::object()}, "null, as a suite"},
        RefusedMember{
            suite_document(), "/throughput", {5, "x", Json::object()}, "null, as a suite"},
        RefusedMember{suite_document(),
                      "/suite/0",
                      {nullptr, 5, "x", Json::object()},
                      "a name, which every job"},
        RefusedMember{suite_document(), "/suite/1/name", {nullptr, "", 5, "absent"}, "a name"},
        RefusedMember{suite_document(), "/suite/1/name", {"panes"}, "two jobs have this one"},
        RefusedMember{suite_document(), "/suite/0/counters", kNoObjects, "at least one counter"},
        RefusedMember{suite_document(), "/suite/0/counters/merges", kNoNumbers,
                      "\"panes\" merges is "},
        RefusedMember{suite_document(), "/suite/1/counters/checksum", kNoChecksums,
                      "a checksum as text"},
        RefusedMember{
            suite_document(), "/suite/0/instructions", {"x", -1, true}, "instructions is "},
        RefusedMember{
            suite_document(), "/suite/0/options", {nullptr, 5, "x", "absent"}, "an object"},
        RefusedMember{suite_document(), "/suite/0/throughput", kNoObjects,
                      "a list of at least one rate"},
        RefusedMember{suite_document(), "/suite/0/throughput/rows_per_second", kNoLists,
                      "a list of at least one rate"},
        RefusedMember{suite_document(),
                      "/suite/0/throughput/rows_per_second/1",
                      {nullptr, -1, 0, "x"},
                      "a number above 0"},
        RefusedMember{suite_document(), "/checks/right", kNoBooleans, "true or false"}),
    name_of_refusal);

INSTANTIATE_TEST_SUITE_P(
    Profile, RefusedMemberTest,
    testing::Values(
        RefusedMember{profile_document(), "/cells", kNoLists, "a list of at least one cell"},
        RefusedMember{profile_document(), "/cells/0/size_ms", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{profile_document(), "/cells/0/keys", {1.5, 1e300}, "a whole number above 0"},
        RefusedMember{
            profile_document(), "/cells/0/strategy", {nullptr, "", 5, "absent"}, "a strategy"},
        RefusedMember{
            profile_document(), "/cells/0/strategy", {"subtract"}, "two cells are the same"},
        RefusedMember{
            profile_document(), "/cells/1/refused", {"", 5, true, false}, "the reason as text"},
        RefusedMember{profile_document(), "/cells/0/live_entries", kNoNumbers, "live_entries is "},
        RefusedMember{profile_document(), "/cells/0/merges_per_slide", kNoNumbers,
                      "merges_per_slide is "},
        RefusedMember{profile_document(),
                      "/cells/0/entries_at_end",
                      {nullptr, -1, "absent"},
                      "entries_at_end is "},
        RefusedMember{profile_document(), "/cells/0/checksum", kNoChecksums, "a checksum as text"},
        RefusedMember{profile_document(), "/cells/0/rows_per_second_samples", kNoLists,
                      "a list of at least one rate"},
        RefusedMember{profile_document(),
                      "/cells/0/rows_per_second_samples/0",
                      {nullptr, -1, 0, "x"},
                      "a number above 0"},
        RefusedMember{profile_document(), "/cells/0/firing_ns", kNoObjects, "count is not there"},
        RefusedMember{profile_document(), "/cells/0/firing_ns/p99", kNoPositiveNumbers,
                      "a number above 0"},
        RefusedMember{profile_document(), "/checks/right", kNoBooleans, "true or false"}),
    name_of_refusal);

}  // namespace
}  // namespace tidemark
