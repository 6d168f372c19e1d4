// What aggregates a job computes over each window, and what each of them can do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runtime/batch.h"

namespace tidemark {

class UserAggregate;

enum class AggregateFunction : std::uint8_t {
  kCount,
  kSum,
  kMin,
  kMax,
  kAvg,
  kVariance,  // of a sample: divided by n - 1
  kStddev,
  kVariancePopulation,  // divided by n
  kStddevPopulation,
  kFirst,  // by event time, then by arrival
  kLast,
  kCountDistinct,
  kApproxDistinct,
  kMedian,
  kQuantile,  // parameter: from 0 to 1
  kApproxQuantile,
  kTopK,     // parameter: how many values
  kCollect,  // in order of event time, then of arrival
  kUser,
};

std::string_view to_string(AggregateFunction function);

// One output column. SQL's rules for NULL: count without input counts rows, every other function
// skips NULL inputs. Of no input at all counts are 0 and all else is NULL, and so are variance and
// stddev of a single one.
struct AggregateSpec {
  AggregateFunction function = AggregateFunction::kCount;
  // Index into the query's value columns, or kRows for count(*).
  int input = kRows;
  // Name of the output column.
  std::string name;
  double parameter = 0;
  std::shared_ptr<const UserAggregate> user{};  // of kUser

  static constexpr int kRows = -1;
};

// How rows leave a state again.
enum class Inversion : std::uint8_t {
  kExact,
  kRounded,  // up to rounding of doubles
  kNone,
};

// What merges and firings of a state cost. All but constant ones are handles in their entries.
enum class CostClass : std::uint8_t {
  kConstant,
  kSketch,    // up to some kilobytes
  kPerValue,  // grows with the values that are in it
};

// What planner and validation go by.
struct AggregateAlgebra {
  Inversion inversion = Inversion::kExact;
  // Of Inversion::kNone: a clause that says why.
  std::string_view why_not_inverted{};
  // States that are merged in another order, or grouped in another way, give the same result to the
  // last bit. Otherwise states are merged from old to new.
  bool commutative = true;
  bool exactly_associative = true;
  CostClass cost = CostClass::kConstant;
};

AggregateAlgebra algebra_of(const AggregateSpec& aggregate, ColumnType input);

// Type of the result: counts are int64; sum, min, max, first and last keep the input's type; top_k
// and collect are text that holds a JSON array; all else is double.
ColumnType result_type(const AggregateSpec& aggregate, ColumnType input);

// The result is a JSON array as text.
bool has_list_result(AggregateFunction function);

}  // namespace tidemark
