// Aggregates that users define: lift, combine, lower, and an inverse where there is one.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_kernel.h"
#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/aggregate_spec.h"

namespace tidemark {

// What a query needs of a user-defined aggregate. Objects are shared by all window stages, so they
// must not change. Most are made by define_aggregate().
class UserAggregate {
 public:
  virtual ~UserAggregate() = default;

  virtual ColumnType input_type() const = 0;
  virtual ColumnType result_type() const = 0;  // kInt64 or kDouble
  virtual AggregateAlgebra algebra() const = 0;
  // The loops over its states, which begin `state_offset` bytes into each entry.
  virtual std::unique_ptr<PrimitiveKernel> make_kernel(std::size_t state_offset) const = 0;
  // `input` is the value column whose valid bit says whether the result is NULL.
  virtual std::unique_ptr<AggregateOutput> make_output(std::size_t state_offset,
                                                       int input) const = 0;
};

// `Definition` is a struct of static (or const) member functions:
//
//   State lift(Input value)            the state of one value
//   State combine(State a, State b)    of both; associative; a is not younger than b
//   Result lower(State state)          int64 or double, or std::optional of them
//   State identity()                   of no value
//   State invert(State a, State b)     optional: takes b, which is in it, out of a
//
// Input is std::int64_t or double; State is trivially copyable, so that it lies in the entries of
// the window state as bytes. Loops over rows call these without an indirection. Commutative unless
// the definition has `static constexpr bool kCommutative = false`.
template <typename Definition>
class DefinedAggregate;

namespace user_aggregate {

template <typename T>
struct FirstParameter;
template <typename R, typename A>
struct FirstParameter<R (*)(A)> {
  using Type = std::remove_cvref_t<A>;
};
template <typename C, typename R, typename A>
struct FirstParameter<R (C::*)(A) const> {
  using Type = std::remove_cvref_t<A>;
};

template <typename T>
struct CellOf {
  using Type = T;
};
template <typename T>
struct CellOf<std::optional<T>> {
  using Type = T;
};

template <typename T>
constexpr ColumnType column_type() {
  return std::same_as<T, double> ? ColumnType::kDouble : ColumnType::kInt64;
}

template <typename Definition>
struct Types {
  using Input = typename FirstParameter<decltype(&Definition::lift)>::Type;
  using State = std::remove_cvref_t<decltype(std::declval<const Definition&>().identity())>;
  using Result =
      std::remove_cvref_t<decltype(std::declval<const Definition&>().lower(std::declval<State>()))>;
  using Cell = typename CellOf<Result>::Type;

  static_assert(std::same_as<Input, double> || std::same_as<Input, std::int64_t>,
                "lift takes a double or a std::int64_t");
  static_assert(std::same_as<Cell, double> || std::same_as<Cell, std::int64_t>,
                "lower returns a double or a std::int64_t, or std::optional of one");
  static_assert(std::is_trivially_copyable_v<State>,
                "a state is copied as bytes: keep it in plain members of fixed size");

  static constexpr bool kInvertible = requires(const Definition& definition, State state) {
    definition.invert(state, state);
  };
  static constexpr bool kCommutative = [] {
    if constexpr (requires { Definition::kCommutative; }) {
      return Definition::kCommutative;
    } else {
      return true;
    }
  }();
  // Entries are whole words.
  static constexpr std::size_t kStateSize = (sizeof(State) + 7) / 8 * 8;
};

template <typename Definition>
class Kernel final : public PrimitiveKernel {
 public:
  using T = Types<Definition>;
  using State = typename T::State;
  using Input = typename T::Input;

  Kernel(std::size_t offset, const Definition& definition)
      : PrimitiveKernel(offset), definition_(definition) {}

  std::size_t state_size() const override { return T::kStateSize; }
  bool invertible() const override { return T::kInvertible; }
  void init(std::byte* entry) const override {
    store_state(entry, offset(), definition_.identity());
  }

  void update(std::byte* const* entries, const Column* values, const EventTime* /*times*/,
              std::size_t begin, std::size_t n) const override {
    const std::size_t at = offset();
    const Input* const cells = static_cast<const Input*>(values->cells()) + begin;
    const bool has_nulls = values->has_nulls();
    for (std::size_t i = 0; i < n; ++i) {
      if (has_nulls && values->is_null(begin + i)) continue;
      std::byte* const entry = entries[i];
      const State state = load_state<State>(entry, at);
      store_state(entry, at, definition_.combine(state, definition_.lift(cells[i])));
    }
  }

  void merge(std::byte* const* into, std::size_t shift, const std::byte* from, std::size_t stride,
             std::size_t n) const override {
    const std::size_t at = offset();
    for (std::size_t i = 0; i < n; ++i) {
      const State newer = load_state<State>(from + i * stride, at);
      std::byte* const to = into[i] + shift;
      store_state(to, at, definition_.combine(load_state<State>(to, at), newer));
    }
  }

  void subtract(std::byte* const* into, const std::byte* from, std::size_t stride,
                std::size_t n) const override {
    if constexpr (T::kInvertible) {
      const std::size_t at = offset();
      for (std::size_t i = 0; i < n; ++i) {
        const State leaves = load_state<State>(from + i * stride, at);
        store_state(into[i], at, definition_.invert(load_state<State>(into[i], at), leaves));
      }
    } else {
      (void)into, (void)from, (void)stride, (void)n;
    }
  }

  void fold(std::byte* const* into, std::size_t shift, std::byte* from, std::size_t stride,
            std::size_t n) const override {
    const std::size_t at = offset();
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* const entry = from + i * stride;
      std::byte* const to = into[i] + shift;
      const State newer = load_state<State>(to, at);
      store_state(to, at, definition_.combine(load_state<State>(entry, at), newer));
      store_state(entry, at, newer);
    }
  }

 private:
  Definition definition_;
};

template <typename Definition>
class Output final : public AggregateOutput {
 public:
  using T = Types<Definition>;
  using State = typename T::State;
  using Cell = typename T::Cell;

  Output(std::size_t offset, int input, const Definition& definition)
      : offset_(offset), input_(input), definition_(definition) {}

  void lower(const ResultRows& rows, Column& out, std::size_t at,
             std::vector<std::size_t>& /*overflows*/) const override {
    Cell* const cells = static_cast<Cell*>(out.cells()) + at;
    for (std::size_t i = 0; i < rows.size; ++i) {
      if ((row_valid(rows.a, i) >> input_ & 1U) == 0) {
        out.set_null(at + i);
        continue;
      }
      State state = load_state<State>(rows.a[i], offset_);
      if (rows.b != nullptr) {
        state = definition_.combine(state, load_state<State>(rows.b[i], offset_));
      }
      write(definition_.lower(state), out, cells, at, i);
    }
  }

 private:
  static void write(const Cell& result, Column& /*out*/, Cell* cells, std::size_t /*at*/,
                    std::size_t row) {
    cells[row] = result;
  }
  static void write(const std::optional<Cell>& result, Column& out, Cell* cells, std::size_t at,
                    std::size_t row) {
    if (result) {
      cells[row] = *result;
    } else {
      out.set_null(at + row);
    }
  }

  std::size_t offset_;
  int input_;
  Definition definition_;
};

}  // namespace user_aggregate

template <typename Definition>
class DefinedAggregate final : public UserAggregate {
 public:
  using T = user_aggregate::Types<Definition>;

  explicit DefinedAggregate(Definition definition) : definition_(std::move(definition)) {}

  ColumnType input_type() const override {
    return user_aggregate::column_type<typename T::Input>();
  }
  ColumnType result_type() const override {
    return user_aggregate::column_type<typename T::Cell>();
  }
  AggregateAlgebra algebra() const override {
    return {.inversion = T::kInvertible ? Inversion::kRounded : Inversion::kNone,
            .why_not_inverted = "its definition has no invert",
            .commutative = T::kCommutative,
            .exactly_associative = false};
  }
  std::unique_ptr<PrimitiveKernel> make_kernel(std::size_t state_offset) const override {
    return std::make_unique<user_aggregate::Kernel<Definition>>(state_offset, definition_);
  }
  std::unique_ptr<AggregateOutput> make_output(std::size_t state_offset, int input) const override {
    return std::make_unique<user_aggregate::Output<Definition>>(state_offset, input, definition_);
  }

 private:
  Definition definition_;
};

template <typename Definition>
std::shared_ptr<const UserAggregate> define_aggregate(Definition definition = {}) {
  return std::make_shared<const DefinedAggregate<Definition>>(std::move(definition));
}

}  // namespace tidemark
