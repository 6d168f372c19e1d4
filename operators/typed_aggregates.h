// The aggregates of the typed face: count(), sum(&Order::amount), avg(...).as("mean").
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/operators/typed_cells.h"
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
                "sum, min, max and avg read integers, float or double, or std::optional of them");
  // Counting what is never NULL is counting rows.
  static constexpr bool kReadsColumn = !kCounts || Nullable<Input>::kIsOptional;
  static constexpr ColumnType kColumn = input_column_type<Input>();
  static constexpr bool kIsDouble =
      kFunction == AggregateFunction::kAvg || kColumn == ColumnType::kDouble;
  using Number = std::conditional_t<kIsDouble, double, std::int64_t>;
  using Result = std::conditional_t<kCounts, std::int64_t, std::optional<Number>>;
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

// An aggregate's result in cell `row`: an int64 for a count, else std::optional.
template <typename Result>
Result aggregate_at(const Column& column, std::size_t row) {
  if constexpr (Nullable<Result>::kIsOptional) {
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
