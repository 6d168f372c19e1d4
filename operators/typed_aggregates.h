// The aggregates of the typed face: count(), sum(&Order::amount), avg(...).as("mean").
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/operators/typed_cells.h"
#include "tidemark/operators/user_aggregate.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// The input of count(): rows, whatever is in them.
struct WholeRow {};

// One aggregate over each window. `Input` is a member pointer or a callable that takes a row.
template <AggregateFunction kAggregate, typename Input>
struct Aggregate {
  static constexpr AggregateFunction kFunction = kAggregate;

  // The same aggregate with a name for its column.
  Aggregate as(std::string column_name) && {
    name = std::move(column_name);
    return std::move(*this);
  }

  Input input;
  std::string name{};  // empty: the function's own
  double parameter = 0;
};

// An aggregate whose definition is the user's.
template <typename DefinitionType, typename Input>
struct DefinedOver {
  static constexpr AggregateFunction kFunction = AggregateFunction::kUser;
  using Definition = DefinitionType;

  DefinedOver as(std::string column_name) && {
    name = std::move(column_name);
    return std::move(*this);
  }

  Input input;
  std::string name{};
  std::shared_ptr<const UserAggregate> definition{};
};

// Rows.
inline Aggregate<AggregateFunction::kCount, WholeRow> count() { return {WholeRow{}}; }
// Rows whose input is not std::nullopt.
template <typename Input>
Aggregate<AggregateFunction::kCount, Input> count(Input input) {
  return {std::move(input)};
}
// Inputs are integers (as int64) or floating-point numbers (as double), or std::optional of them,
// where std::nullopt is NULL and skipped.
template <typename Input>
Aggregate<AggregateFunction::kSum, Input> sum(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kMin, Input> min(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kMax, Input> max(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kAvg, Input> avg(Input input) {
  return {std::move(input)};
}
// Of a sample, as SQL's: divided by n - 1, and NULL of a single value.
template <typename Input>
Aggregate<AggregateFunction::kVariance, Input> variance(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kStddev, Input> stddev(Input input) {
  return {std::move(input)};
}
// Divided by n.
template <typename Input>
Aggregate<AggregateFunction::kVariancePopulation, Input> variance_pop(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kStddevPopulation, Input> stddev_pop(Input input) {
  return {std::move(input)};
}
// By event time; of equal times the one that came first, or last.
template <typename Input>
Aggregate<AggregateFunction::kFirst, Input> first(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kLast, Input> last(Input input) {
  return {std::move(input)};
}
// Exact; keeps every different value with the number of its copies.
template <typename Input>
Aggregate<AggregateFunction::kCountDistinct, Input> count_distinct(Input input) {
  return {std::move(input)};
}
// With a standard error of 1.6 % in about 4 KB (see DistinctSketch).
template <typename Input>
Aggregate<AggregateFunction::kApproxDistinct, Input> approx_distinct(Input input) {
  return {std::move(input)};
}
// Between the two values on either side, as SQL's percentile_cont. Keeps every value.
template <typename Input>
Aggregate<AggregateFunction::kMedian, Input> median(Input input) {
  return {std::move(input)};
}
template <typename Input>
Aggregate<AggregateFunction::kQuantile, Input> quantile(Input input, double share) {
  return {std::move(input), {}, share};
}
// The value of rank floor(share * (n - 1)) within 1 % (see quantile_buckets.h).
template <typename Input>
Aggregate<AggregateFunction::kApproxQuantile, Input> approx_quantile(Input input, double share) {
  return {std::move(input), {}, share};
}
// The `most` most frequent values, the smaller one first where two are equally frequent.
template <typename Input>
Aggregate<AggregateFunction::kTopK, Input> top_k(Input input, std::size_t most) {
  return {std::move(input), {}, static_cast<double>(most)};
}
// All values by event time, then in the order in which they came.
template <typename Input>
Aggregate<AggregateFunction::kCollect, Input> collect(Input input) {
  return {std::move(input)};
}
// An aggregate of your own over the input: see user_aggregate.h for what `Definition` has.
template <typename Definition, typename Input>
DefinedOver<Definition, Input> aggregate_by(Input input, Definition definition = {}) {
  return {std::move(input), {}, define_aggregate(std::move(definition))};
}

template <AggregateFunction kFunction, typename Input>
AggregateSpec spec_of(const Aggregate<kFunction, Input>& aggregate, int column) {
  return {kFunction, column, aggregate.name, aggregate.parameter};
}
template <typename Definition, typename Input>
AggregateSpec spec_of(const DefinedOver<Definition, Input>& aggregate, int column) {
  return {AggregateFunction::kUser, column, aggregate.name, 0, aggregate.definition};
}

// What `AggregateType` reads from rows of type `Row`, and what it results in.
template <typename Row, typename AggregateType>
struct AggregateTraits;

template <typename Row, AggregateFunction kFunction, typename Function>
struct AggregateTraits<Row, Aggregate<kFunction, Function>> {
  static_assert(
      std::invocable<const Function&, const Row&>,
      "an aggregate's input is a pointer to a member of the row, or a function that takes "
      "a row (const Row&)");
  using Input = Extracted<Function, Row>;
  static constexpr bool kCounts = kFunction == AggregateFunction::kCount;
  static_assert(kCounts || !kIsUnsigned64<NonNull<Input>>,
                "an unsigned 64-bit number does not fit the int64 that aggregates compute with: "
                "convert it in a lambda");
  static_assert(kCounts || kIsUnsigned64<NonNull<Input>> || NumberInput<Input>,
                "aggregates read integers, float or double, or std::optional of them");
  // Counting what is never NULL is counting rows.
  static constexpr bool kReadsColumn = !kCounts || Nullable<Input>::kIsOptional;
  static constexpr ColumnType kColumn = input_column_type<Input>();
  using InputNumber = std::conditional_t<kColumn == ColumnType::kDouble, double, std::int64_t>;
  static constexpr bool kKeepsType =
      kFunction == AggregateFunction::kSum || kFunction == AggregateFunction::kMin ||
      kFunction == AggregateFunction::kMax || kFunction == AggregateFunction::kFirst ||
      kFunction == AggregateFunction::kLast;
  static constexpr bool kIsCount = kCounts || kFunction == AggregateFunction::kCountDistinct ||
                                   kFunction == AggregateFunction::kApproxDistinct;
  static constexpr bool kIsList =
      kFunction == AggregateFunction::kTopK || kFunction == AggregateFunction::kCollect;
  using Number = std::conditional_t<kKeepsType, InputNumber, double>;
  using Single = std::conditional_t<kIsCount, std::int64_t, std::optional<Number>>;
  using Result = std::conditional_t<kIsList, std::vector<InputNumber>, Single>;
};

template <typename Row, typename Definition, typename Function>
struct AggregateTraits<Row, DefinedOver<Definition, Function>> {
  static_assert(std::invocable<const Function&, const Row&>,
                "an aggregate's input is a pointer to a member of the row, or a function that "
                "takes a row (const Row&)");
  using Input = Extracted<Function, Row>;
  using Types = user_aggregate::Types<Definition>;
  static constexpr bool kReadsColumn = true;
  static constexpr ColumnType kColumn = input_column_type<Input>();
  static_assert(NumberInput<Input> &&
                    kColumn == user_aggregate::column_type<typename Types::Input>(),
                "the definition's lift takes another type than the input has: integers come as "
                "std::int64_t, floating-point numbers as double");
  using Result = std::optional<typename Types::Cell>;
};

template <typename Row>
struct AggregateTraits<Row, Aggregate<AggregateFunction::kCount, WholeRow>> {
  static constexpr bool kReadsColumn = false;
  using Result = std::int64_t;
};

// A column that no aggregate reads: the gaps of sessions, or what a trigger looks at.
template <typename Function>
struct ExtraInput {
  Function input;
};

template <typename Row, typename Function>
struct AggregateTraits<Row, ExtraInput<Function>> {
  static_assert(std::invocable<const Function&, const Row&>,
                "an input is a pointer to a member of the row, or a function that takes a row "
                "(const Row&)");
  using Input = Extracted<Function, Row>;
  static_assert(NumberInput<Input>, "an input is an integer, float or double, or std::optional");
  static constexpr bool kReadsColumn = true;
  static constexpr ColumnType kColumn = input_column_type<Input>();
};

// The numbers of a JSON array, where null stands for what is not finite.
template <typename Number>
std::vector<Number> list_at(const Column& column, std::size_t row) {
  std::vector<Number> list;
  if (column.is_null(row)) return list;
  const std::string_view text = column.string(row);
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size() - 1);
    Number number{};
    if (text[at] == 'n') {
      number = std::numeric_limits<Number>::quiet_NaN();
    } else {
      std::from_chars(text.data() + at, text.data() + end, number);
    }
    list.push_back(number);
    at = end + 1;
  }
  return list;
}

template <typename Result>
inline constexpr bool kIsListResult = false;
template <typename Number>
inline constexpr bool kIsListResult<std::vector<Number>> = true;

// An aggregate's result in cell `row`: an int64 for a count, a vector for a list (empty for NULL),
// else std::optional.
template <typename Result>
Result aggregate_at(const Column& column, std::size_t row) {
  if constexpr (kIsListResult<Result>) {
    return list_at<typename Result::value_type>(column, row);
  } else if constexpr (Nullable<Result>::kIsOptional) {
    if (column.is_null(row)) return std::nullopt;
    return aggregate_at<NonNull<Result>>(column, row);
  } else if constexpr (std::same_as<Result, double>) {
    return column.doubles()[row];
  } else {
    return column.int64s()[row];
  }
}

// Which value column each aggregate reads: those over the same member share one.
template <std::size_t kAggregates>
struct InputColumns {
  std::array<int, kAggregates> column{};     // or AggregateSpec::kRows
  std::array<bool, kAggregates> fills_it{};  // the first to read its column
  std::vector<ColumnType> types;
};

template <typename A, typename B>
bool reads_the_same(const A& a, const B& b) {
  if constexpr (std::is_member_object_pointer_v<decltype(a.input)> &&
                std::same_as<decltype(a.input), decltype(b.input)>) {
    return a.input == b.input;
  } else {
    return false;
  }
}

template <typename Row, typename... Aggregates>
InputColumns<sizeof...(Aggregates)> plan_inputs(const std::tuple<Aggregates...>& aggregates) {
  InputColumns<sizeof...(Aggregates)> plan;
  const auto place = [&]<std::size_t kIndex>() {
    using Aggregate = std::tuple_element_t<kIndex, std::tuple<Aggregates...>>;
    int& column = plan.column[kIndex];
    column = AggregateSpec::kRows;
    if constexpr (AggregateTraits<Row, Aggregate>::kReadsColumn) {
      [&]<std::size_t... kEarlier>(std::index_sequence<kEarlier...>) {
        ((reads_the_same(std::get<kEarlier>(aggregates), std::get<kIndex>(aggregates))
              ? void(column = plan.column[kEarlier])
              : void()),
         ...);
      }
      (std::make_index_sequence<kIndex>{});
      if (column != AggregateSpec::kRows) return;
      column = static_cast<int>(plan.types.size());
      plan.fills_it[kIndex] = true;
      plan.types.push_back(AggregateTraits<Row, Aggregate>::kColumn);
    }
  };
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    (place.template operator()<kIndex>(), ...);
  }
  (std::index_sequence_for<Aggregates...>{});
  return plan;
}

}  // namespace tidemark
