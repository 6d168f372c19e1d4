// What aggregates a query may not have, and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/operators/query.h"

namespace tidemark {
namespace {

using testing::HasSubstr;
using Function = AggregateFunction;

WindowQuery query_of(AggregateSpec aggregate, Strategy strategy) {
  WindowQuery query;
  query.values = {{"x", ColumnType::kInt64}, {"y", ColumnType::kDouble}};
  query.windows = {sliding(std::chrono::seconds(60), std::chrono::seconds(1))};
  aggregate.name = "a";
  query.aggregates = {std::move(aggregate)};
  query.strategy = strategy;
  return query;
}

TEST(AggregateRefusals, SubtractNeedsAnAggregateThatCanBeUndone) {
  struct Example {
    Function function;
    std::string reason;  // empty: allowed
  };
  const std::vector<Example> examples{
      {Function::kCount, ""},
      {Function::kSum, ""},
      {Function::kAvg, ""},
      {Function::kMin, "does not tell which value is next"},
      {Function::kMax, "does not tell which value is next"},
      {Function::kVariance, "squares that leave"},
      {Function::kStddev, "squares that leave"},
      {Function::kVariancePopulation, "squares that leave"},
      {Function::kStddevPopulation, "squares that leave"},
      {Function::kFirst, "does not tell which value is next"},
      {Function::kLast, "does not tell which value is next"},
      {Function::kCountDistinct, ""},
      {Function::kApproxDistinct, "how many rows have set a register"},
      {Function::kMedian, ""},
      {Function::kQuantile, ""},
      {Function::kApproxQuantile, ""},
      {Function::kTopK, ""},
      {Function::kCollect, "only end with their window"},
  };
  for (const Example& example : examples) {
    const AggregateSpec aggregate{example.function, 1, "",
                                  example.function == Function::kTopK ? 3.0 : 0.5};
    for (const Strategy strategy :
         {Strategy::kAuto, Strategy::kBuckets, Strategy::kRecompute, Strategy::kTwoStacks}) {
      EXPECT_TRUE(validate(query_of(aggregate, strategy)).has_value())
          << to_string(example.function) << " " << to_string(strategy);
    }
    const auto valid = validate(query_of(aggregate, Strategy::kSubtract));
    EXPECT_EQ(valid.has_value(), example.reason.empty()) << to_string(example.function);
    if (!valid) {
      EXPECT_THAT(valid.error().message, HasSubstr(example.reason));
    }
  }
}

TEST(AggregateRefusals, BaseIntervalsNeedStatesOfFixedSizeThatMergeInAnyOrder) {
  struct Example {
    Function function;
    std::string reason;  // empty: allowed
  };
  const std::vector<Example> examples{
      {Function::kCount, ""},
      {Function::kSum, ""},
      {Function::kAvg, ""},
      {Function::kMin, ""},
      {Function::kMax, ""},
      {Function::kVariance, ""},
      {Function::kStddevPopulation, ""},
      {Function::kFirst, "must be merged from old to new"},
      {Function::kLast, "must be merged from old to new"},
      {Function::kCountDistinct, "no fixed size"},
      {Function::kApproxDistinct, "no fixed size"},
      {Function::kMedian, "no fixed size"},
      {Function::kQuantile, "no fixed size"},
      {Function::kApproxQuantile, "no fixed size"},
      {Function::kTopK, "no fixed size"},
      {Function::kCollect, "no fixed size"},
  };
  for (const Example& example : examples) {
    const AggregateSpec aggregate{example.function, 1, "",
                                  example.function == Function::kTopK ? 3.0 : 0.5};
    const auto valid = validate(query_of(aggregate, Strategy::kBaseIntervals));
    EXPECT_EQ(valid.has_value(), example.reason.empty()) << to_string(example.function);
    if (valid) continue;
    EXPECT_THAT(valid.error().message, HasSubstr("cannot compute 'a'"));
    EXPECT_THAT(valid.error().message, HasSubstr(example.reason));
  }
  WindowQuery late = query_of({Function::kSum, 0, ""}, Strategy::kBaseIntervals);
  late.lateness = 1000;
  EXPECT_THAT(validate(late).error().message, HasSubstr("takes no allowed lateness"));
}

TEST(AggregateRefusals, ParametersAndDefinitionsAreLookedAt) {
  struct Example {
    AggregateSpec aggregate;
    std::string message;
  };
  const std::vector<Example> examples{
      {{Function::kQuantile, 0, "", 1.5}, "a quantile is a number from 0 to 1"},
      {{Function::kQuantile, 0, "", std::nan("")}, "a quantile is a number from 0 to 1"},
      {{Function::kApproxQuantile, 0, "", -0.1}, "a quantile is a number from 0 to 1"},
      {{Function::kTopK, 0, "", 0}, "a whole number from 1 to 10000"},
      {{Function::kTopK, 0, "", 2.5}, "a whole number from 1 to 10000"},
      {{Function::kMedian, AggregateSpec::kRows, ""}, "median needs an input column"},
      {{Function::kCollect, 7, ""}, "there is no value column number 7"},
      {{Function::kUser, 0, ""}, "its definition is missing"},
  };
  for (const Example& example : examples) {
    const auto valid = validate(query_of(example.aggregate, Strategy::kAuto));
    ASSERT_FALSE(valid.has_value()) << example.message;
    EXPECT_THAT(valid.error().message, HasSubstr(example.message));
  }
}

}  // namespace
}  // namespace tidemark
