#include "tidemark/operators/aggregate_spec.h"

#include <array>
#include <cstddef>

#include "tidemark/operators/user_aggregate.h"

namespace tidemark {

namespace {

constexpr std::array<std::string_view, 19> kNames{"count",
                                                  "sum",
                                                  "min",
                                                  "max",
                                                  "avg",
                                                  "variance",
                                                  "stddev",
                                                  "variance_pop",
                                                  "stddev_pop",
                                                  "first",
                                                  "last",
                                                  "count_distinct",
                                                  "approx_distinct",
                                                  "median",
                                                  "quantile",
                                                  "approx_quantile",
                                                  "top_k",
                                                  "collect",
                                                  "user-defined"};

}  // namespace

std::string_view to_string(AggregateFunction function) {
  return kNames.at(static_cast<std::size_t>(function));
}

AggregateAlgebra algebra_of(const AggregateSpec& aggregate, ColumnType input) {
  switch (aggregate.function) {
    case AggregateFunction::kCount:
      return {};
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      if (input == ColumnType::kInt64) return {};
      return {.inversion = Inversion::kRounded, .exactly_associative = false};
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return {.inversion = Inversion::kNone,
              .why_not_inverted = "it does not tell which value is next"};
    case AggregateFunction::kVariance:
    case AggregateFunction::kStddev:
    case AggregateFunction::kVariancePopulation:
    case AggregateFunction::kStddevPopulation:
      return {.inversion = Inversion::kNone,
              .why_not_inverted = "squares that leave take the digits of those that stay along",
              .exactly_associative = false};
    case AggregateFunction::kFirst:
    case AggregateFunction::kLast:
      return {.inversion = Inversion::kNone,
              .why_not_inverted = "it does not tell which value is next",
              .commutative = false};
    case AggregateFunction::kCountDistinct:
    case AggregateFunction::kMedian:
    case AggregateFunction::kQuantile:
    case AggregateFunction::kTopK:
      return {.cost = CostClass::kPerValue};
    case AggregateFunction::kApproxQuantile:
      return {.cost = CostClass::kSketch};
    case AggregateFunction::kApproxDistinct:
      return {.inversion = Inversion::kNone,
              .why_not_inverted = "its sketch does not tell how many rows have set a register",
              .cost = CostClass::kSketch};
    case AggregateFunction::kCollect:
      return {.inversion = Inversion::kNone,
              .why_not_inverted = "its values are kept as runs, which only end with their window",
              .commutative = false,
              .cost = CostClass::kPerValue};
    case AggregateFunction::kUser:
      return aggregate.user == nullptr ? AggregateAlgebra{} : aggregate.user->algebra();
  }
  return {};
}

ColumnType result_type(const AggregateSpec& aggregate, ColumnType input) {
  switch (aggregate.function) {
    case AggregateFunction::kCount:
    case AggregateFunction::kCountDistinct:
    case AggregateFunction::kApproxDistinct:
      return ColumnType::kInt64;
    case AggregateFunction::kSum:
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
    case AggregateFunction::kFirst:
    case AggregateFunction::kLast:
      return input;
    case AggregateFunction::kTopK:
    case AggregateFunction::kCollect:
      return ColumnType::kString;
    case AggregateFunction::kUser:
      return aggregate.user == nullptr ? ColumnType::kDouble : aggregate.user->result_type();
    default:
      return ColumnType::kDouble;
  }
}

bool has_list_result(AggregateFunction function) {
  return function == AggregateFunction::kTopK || function == AggregateFunction::kCollect;
}

}  // namespace tidemark
