// Sources of the typed face: ranges and generators of the user's rows, one partition or several.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidemark {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A callable that returns the next row, or std::nullopt when there are no more.
template <typename Function>
concept RowGenerator =
    std::invocable<Function&> && kIsOptional<std::remove_cvref_t<std::invoke_result_t<Function&>>>;

template <typename Range>
concept RowRange = std::ranges::input_range<Range> && std::ranges::viewable_range<Range>;

template <typename Source>
concept RowSource = RowRange<Source> || RowGenerator<std::decay_t<Source>>;

// Rows of a view, as spans: of the view's own memory where it is contiguous, else of a buffer.
template <std::ranges::view View>
class RangeReader {
 public:
  using Row = std::ranges::range_value_t<View>;

  explicit RangeReader(View& rows)
      : next_(std::ranges::begin(rows)), end_(std::ranges::end(rows)) {}

  // Up to `most` rows, valid until the next call; none: there are no more.
  std::span<const Row> read(std::size_t most) {
    if constexpr (kIsContiguous) {
      const auto count = std::min(most, static_cast<std::size_t>(end_ - next_));
      const std::span<const Row> rows(std::to_address(next_), count);
      next_ += static_cast<std::ranges::range_difference_t<View>>(count);
      return rows;
    } else {
      buffer_.clear();
      for (; buffer_.size() < most && next_ != end_; ++next_) buffer_.push_back(*next_);
      return buffer_;
    }
  }

 private:
  static constexpr bool kIsContiguous =
      std::ranges::contiguous_range<View> &&
      std::sized_sentinel_for<std::ranges::sentinel_t<View>, std::ranges::iterator_t<View>>;
  struct NoBuffer {};

  std::ranges::iterator_t<View> next_;
  std::ranges::sentinel_t<View> end_;
  [[no_unique_address]] std::conditional_t<kIsContiguous, NoBuffer, std::vector<Row>> buffer_;
};

template <RowGenerator Generator>
class GeneratorReader {
 public:
  using Row = typename std::remove_cvref_t<std::invoke_result_t<Generator&>>::value_type;

  explicit GeneratorReader(Generator& generator) : generator_(&generator) {}

  std::span<const Row> read(std::size_t most) {
    buffer_.clear();
    while (!ended_ && buffer_.size() < most) {
      if (auto row = std::invoke(*generator_)) {
        buffer_.push_back(*std::move(row));
      } else {
        ended_ = true;
      }
    }
    return buffer_;
  }

 private:
  Generator* generator_;
  std::vector<Row> buffer_;
  bool ended_ = false;
};

// What a job keeps of a source: the view or generator; each run reads it through a new reader.
template <typename Rows, typename RowsReader>
struct PartitionSource {
  using Reader = RowsReader;
  Rows rows;
};

// An lvalue range is referred to, an rvalue moved in.
template <RowSource Source>
auto make_partition_source(Source&& source) {
  if constexpr (RowRange<Source>) {
    using View = std::views::all_t<Source>;
    return PartitionSource<View, RangeReader<View>>{std::views::all(std::forward<Source>(source))};
  } else {
    using Generator = std::decay_t<Source>;
    return PartitionSource<Generator, GeneratorReader<Generator>>{std::forward<Source>(source)};
  }
}

// One partition for each element of `sources`. Elements of an lvalue or of a view are referred to,
// if they are ranges; others are moved in.
template <std::ranges::input_range Sources>
auto make_partition_sources(Sources&& sources) {
  constexpr bool kKeepsElements =
      !std::is_lvalue_reference_v<Sources> && !std::ranges::view<std::remove_cvref_t<Sources>>;
  const auto take = [](auto&& element) -> decltype(auto) {
    if constexpr (kKeepsElements) {
      return make_partition_source(std::move(element));
    } else {
      return make_partition_source(std::forward<decltype(element)>(element));
    }
  };
  std::vector<decltype(take(*std::ranges::begin(sources)))> taken;
  for (auto&& element : sources) taken.push_back(take(std::forward<decltype(element)>(element)));
  return taken;
}

}  // namespace tidemark
