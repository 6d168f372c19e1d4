// Every aggregate through every strategy that its algebra allows and every kind of window.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "property/naive_aggregates.h"
#include "property/naive_model.h"
#include "property/property_check.h"
#include "property/random_scenario.h"
#include "support/query_run.h"

namespace tidemark::test_support {
namespace {

class AggregatesProperty : public PropertyTest {};

constexpr std::initializer_list<AggregateFunction> kAll{
    AggregateFunction::kCount,
    AggregateFunction::kSum,
    AggregateFunction::kMin,
    AggregateFunction::kMax,
    AggregateFunction::kAvg,
    AggregateFunction::kVariance,
    AggregateFunction::kStddev,
    AggregateFunction::kVariancePopulation,
    AggregateFunction::kStddevPopulation,
    AggregateFunction::kFirst,
    AggregateFunction::kLast,
    AggregateFunction::kCountDistinct,
    AggregateFunction::kApproxDistinct,
    AggregateFunction::kMedian,
    AggregateFunction::kQuantile,
    AggregateFunction::kApproxQuantile,
    AggregateFunction::kTopK,
    AggregateFunction::kCollect,
    AggregateFunction::kUser,
};
constexpr std::initializer_list<AggregateFunction> kInvertible{
    AggregateFunction::kCount,  AggregateFunction::kSum,
    AggregateFunction::kAvg,    AggregateFunction::kCountDistinct,
    AggregateFunction::kMedian, AggregateFunction::kQuantile,
    AggregateFunction::kTopK,   AggregateFunction::kApproxQuantile,
    AggregateFunction::kUser,
};

void set_aggregates(Random& random, WindowQuery& query) {
  const bool invertible_only = chance(random, 0.4);
  query.aggregates.clear();
  for (std::int64_t i = between(random, 1, 5); i > 0; --i) {
    AggregateSpec spec;
    spec.function = one_of(random, invertible_only ? kInvertible : kAll);
    const auto last = static_cast<std::int64_t>(query.values.size()) - 1;
    spec.input = static_cast<int>(between(random, 0, last));
    spec.name = std::string(1, static_cast<char>('a' + i));
    if (spec.function == AggregateFunction::kTopK) {
      spec.parameter = static_cast<double>(between(random, 1, 5));
    } else {
      spec.parameter = one_of(random, {0.0, 0.25, 0.9, 0.99, 1.0});
    }
    if (spec.function == AggregateFunction::kUser) {
      if (query.values[static_cast<std::size_t>(spec.input)].type == ColumnType::kDouble) continue;
      spec.user = sum_of_squares();
    }
    query.aggregates.push_back(std::move(spec));
  }
  if (query.aggregates.empty()) query.aggregates.push_back({});
}

// How far a result may be from the model's; 0: equal to the last bit.
double tolerance_of(const AggregateSpec& spec, double expected) {
  const double magnitude = std::isfinite(expected) ? std::fabs(expected) : 0;
  switch (spec.function) {
    case AggregateFunction::kVariance:
    case AggregateFunction::kStddev:
    case AggregateFunction::kVariancePopulation:
    case AggregateFunction::kStddevPopulation:
      return 1e-9 * magnitude + 1e-6;
    case AggregateFunction::kMedian:
    case AggregateFunction::kQuantile:
      return 1e-12 * magnitude + 1e-9;
    case AggregateFunction::kApproxQuantile:
      return 0.01 * magnitude * (1 + 1e-9);
    case AggregateFunction::kApproxDistinct:
      return 0.1 * magnitude + 1;
    default:
      return 0;
  }
}

double as_number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*integer);
  }
  return std::get<double>(cell);
}

bool near(const AggregateSpec& spec, const Cell& actual, const Cell& expected) {
  if (actual.index() != expected.index() || std::holds_alternative<std::monostate>(expected)) {
    return actual.index() == expected.index();
  }
  const double a = as_number(actual);
  const double b = as_number(expected);
  if (std::isnan(b)) return std::isnan(a);
  return a == b || std::fabs(a - b) <= tolerance_of(spec, b);
}

// Cells that are near enough become those of the run, so that the rest is compared as it is.
void take_over_near(const WindowQuery& query, const RunOutcome& run, ModelOutcome& model) {
  const std::size_t n = std::min(run.results.size(), model.results.size());
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = 0; i < query.aggregates.size(); ++i) {
      const AggregateSpec& spec = query.aggregates[i];
      if (tolerance_of(spec, 1) == 0) continue;
      const Cell& actual = run.results[row].aggregates[i];
      Cell& expected = model.results[row].aggregates[i];
      if (near(spec, actual, expected)) expected = actual;
    }
  }
}

void check(Random& random, const ScenarioShape& shape) {
  const Scenario scenario = random_scenario(random, shape);
  SCOPED_TRACE(scenario.to_text());
  const ModelOutcome model = run_naive_model(scenario.query, scenario.rows);
  const std::vector<Strategy> strategies = allowed_strategies(scenario.query);
  ASSERT_FALSE(strategies.empty()) << validate(scenario.query).error().message;
  for (const Strategy strategy : strategies) {
    WindowQuery query = scenario.query;
    query.strategy = strategy;
    const RunSettings settings = random_settings(random);
    SCOPED_TRACE(std::string(to_string(strategy)) + ": " + settings.to_text());
    const RunOutcome run = run_query(query, {scenario.rows}, settings);
    ModelOutcome expected = model;
    take_over_near(query, run, expected);
    expect_equals_model(run, expected, scenario.rows.size());
    if (::testing::Test::HasFailure()) return;
  }
}

ScenarioShape shape_of(DoubleInputs doubles) {
  ScenarioShape shape;
  shape.doubles = doubles;
  shape.large_integers = false;
  shape.settings = [](Random& random, WindowQuery& query, std::int64_t) {
    set_aggregates(random, query);
  };
  return shape;
}

TEST_F(AggregatesProperty, SlidingWindowsEqualTheModelForEveryStrategy) {
  for_random_seeds(60, [](Random& random) { check(random, shape_of(DoubleInputs::kExact)); });
}

TEST_F(AggregatesProperty, NanAndInfinityFollowTheModel) {
  for_random_seeds(30, [](Random& random) { check(random, shape_of(DoubleInputs::kWithNan)); });
}

TEST_F(AggregatesProperty, CumulateWindowsEqualTheModel) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape = shape_of(DoubleInputs::kExact);
    shape.window = random_cumulate;
    check(random, shape);
  });
}

TEST_F(AggregatesProperty, SessionsThatMergeEqualTheModel) {
  for_random_seeds(20, [](Random& random) {
    ScenarioShape shape = shape_of(DoubleInputs::kExact);
    shape.window = random_session;
    check(random, shape);
  });
}

TEST_F(AggregatesProperty, CountWindowsEqualTheModel) {
  for_random_seeds(15, [](Random& random) {
    ScenarioShape shape = shape_of(DoubleInputs::kExact);
    shape.window = [](Random& inner, std::int64_t) { return random_count(inner); };
    check(random, shape);
  });
}

TEST_F(AggregatesProperty, WindowsThatFireEarlyAndLateEqualTheModel) {
  for_random_seeds(25, [](Random& random) {
    ScenarioShape shape = shape_of(DoubleInputs::kExact);
    shape.window = random_timed;
    shape.settings = [](Random& inner, WindowQuery& query, std::int64_t unit) {
      set_aggregates(inner, query);
      add_firing(inner, query, unit);
      add_lateness(inner, query, unit);
      // Sketches may say the same where exact values differ.
      query.repeat_unchanged = true;
    };
    check(random, shape);
  });
}

}  // namespace
}  // namespace tidemark::test_support
