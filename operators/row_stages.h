// map, filter and flat_map of the typed face, fused into one loop over the rows of a source.
#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tidemark {

// A stage takes a row and an output, and calls the output with each row that it makes of it. Each
// partition has a copy of its own, so functions may keep state if they are copyable.
struct PassRows {
  template <typename Row>
  using Output = Row;

  template <typename Row, typename Out>
  void operator()(Row&& row, Out&& out) {
    out(std::forward<Row>(row));
  }
};

template <typename Before, typename Function>
struct MapRows {
  template <typename Row>
  using Output = std::remove_cvref_t<
      std::invoke_result_t<Function&, const typename Before::template Output<Row>&>>;

  template <typename Row, typename Out>
  void operator()(Row&& row, Out&& out) {
    before(std::forward<Row>(row), [&](const auto& input) { out(std::invoke(function, input)); });
  }

  Before before;
  Function function;
};

template <typename Before, typename Function>
struct FilterRows {
  template <typename Row>
  using Output = typename Before::template Output<Row>;

  template <typename Row, typename Out>
  void operator()(Row&& row, Out&& out) {
    before(std::forward<Row>(row), [&]<typename Input>(Input&& input) {
      if (std::invoke(function, std::as_const(input))) out(std::forward<Input>(input));
    });
  }

  Before before;
  Function function;
};

template <typename Before, typename Function>
struct FlatMapRows {
  template <typename Row>
  using Made = std::invoke_result_t<Function&, const typename Before::template Output<Row>&>;
  template <typename Row>
  using Output = std::ranges::range_value_t<Made<Row>>;

  template <typename Row, typename Out>
  void operator()(Row&& row, Out&& out) {
    before(std::forward<Row>(row), [&](const auto& input) {
      for (auto&& made : std::invoke(function, input)) out(std::forward<decltype(made)>(made));
    });
  }

  Before before;
  Function function;
};

}  // namespace tidemark
