#include "tidemark/connectors/aggregate_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark {
namespace {

using testing::HasSubstr;

TEST(AggregateListTest, ReadsEveryFunctionAndNamesItAsWritten) {
  const auto list =
      parse_aggregate_list("count, count(*) as n,COUNT(x), Sum( x ),min(y),max(y),avg(z)");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  std::vector<std::string> names;
  for (const AggregateRequest& request : *list) names.push_back(request.name);
  EXPECT_THAT(names, testing::ElementsAre("count", "n", "count(x)", "sum(x)", "min(y)", "max(y)",
                                          "avg(z)"));
  EXPECT_FALSE((*list)[1].column.has_value());
  EXPECT_EQ((*list)[3].function, AggregateFunction::kSum);
  EXPECT_EQ((*list)[3].column, "x");
}

TEST(AggregateListTest, ReadsParametersAndKeepsThemInTheName) {
  const auto list =
      parse_aggregate_list("quantile(x,0.99), approx_quantile(x, 0.5), TOP_K(y, 3) as top");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  std::vector<std::string> names;
  std::vector<double> parameters;
  for (const AggregateRequest& request : *list) {
    names.push_back(request.name);
    parameters.push_back(request.parameter);
  }
  EXPECT_THAT(names, testing::ElementsAre("quantile(x, 0.99)", "approx_quantile(x, 0.5)", "top"));
  EXPECT_THAT(parameters, testing::ElementsAre(0.99, 0.5, 3));
}

TEST(AggregateListTest, ReadsNamesAndConditionsInEitherOrder) {
  for (const char* text :
       {"sum(amount) as total where country = 'DE'", "sum(amount) where country='DE' as total"}) {
    const auto list = parse_aggregate_list(text);
    ASSERT_TRUE(list.has_value()) << list.error().message;
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ((*list)[0].name, "total");
    ASSERT_TRUE((*list)[0].condition.has_value());
    EXPECT_EQ((*list)[0].condition->column, "country");
    EXPECT_EQ((*list)[0].condition->op, CompareOp::kEqual);
    EXPECT_EQ((*list)[0].condition->value, "DE");
    EXPECT_TRUE((*list)[0].condition->value_is_text);
  }
}

TEST(AggregateListTest, ReadsEveryComparison) {
  struct Example {
    std::string text;
    CompareOp op;
  };
  const std::vector<Example> examples{
      {"=", CompareOp::kEqual},     {"==", CompareOp::kEqual},
      {"<>", CompareOp::kNotEqual}, {"!=", CompareOp::kNotEqual},
      {"<", CompareOp::kLess},      {"<=", CompareOp::kLessOrEqual},
      {">", CompareOp::kGreater},   {">=", CompareOp::kGreaterOrEqual},
  };
  for (const Example& example : examples) {
    const auto list = parse_aggregate_list("count where v" + example.text + "-1.5, sum(v)");
    ASSERT_TRUE(list.has_value()) << list.error().message;
    EXPECT_EQ((*list)[0].condition->op, example.op);
    EXPECT_EQ((*list)[0].condition->value, "-1.5");
    EXPECT_FALSE((*list)[0].condition->value_is_text);
  }
}

TEST(AggregateListTest, QuotesAllowAnyName) {
  const auto list = parse_aggregate_list("sum(\"total, \"\"net\"\"\") as \"sum of all\"");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ((*list)[0].column, "total, \"net\"");
  EXPECT_EQ((*list)[0].name, "sum of all");
}

TEST(AggregateListTest, ErrorsNameThePosition) {
  struct Example {
    std::string text;
    std::string message;
  };
  const std::vector<Example> examples{
      {"", "an aggregate such as sum(x) is expected at character 1"},
      {"count,", "an aggregate such as sum(x) is expected at character 7"},
      {"count sum(x)", "a comma is expected at character 7"},
      {"sum", "a column in parentheses, as in sum(x), is expected at character 4"},
      {"sum()", "a column is expected at character 5"},
      {"sum(x", "a closing parenthesis is expected at character 6"},
      {"count, total(x)", "total at character 8 of 'count, total(x)' is not an aggregate"},
      {"count, total(x)", "there are count, sum, min, max, avg, stddev, stddev_pop, variance"},
      {"quantile(x)", "a number, as in quantile(x, 0.99), is expected at character 11"},
      {"top_k(x, many)", "a number, as in top_k(x, 3), is expected at character 10"},
      {"median(x, 0.5)", "a closing parenthesis is expected at character 9"},
      {"sum(x) as", "a name after as is expected at character 10"},
      {"sum(x) where y ~ 1", "one of = <> < <= > >= is expected at character 16"},
      {"sum(x) where y =", "a value to compare with is expected at character 17"},
      {"sum(\"x)", "the quote at character 5 of 'sum(\"x)' is not closed"},
      {"sum(x), sum(x)", "sum(x) at character 9 of 'sum(x), sum(x)' is there twice"},
  };
  for (const Example& example : examples) {
    const auto list = parse_aggregate_list(example.text);
    ASSERT_FALSE(list.has_value()) << example.text;
    EXPECT_THAT(list.error().message, HasSubstr(example.message));
  }
}

}  // namespace
}  // namespace tidemark
