// Results of states that grow.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "tidemark/operators/aggregate_operation.h"
#include "tidemark/operators/aggregate_output.h"
#include "tidemark/operators/growing_states.h"

namespace tidemark {

namespace {

// How values of a column are compared, computed with and written.
template <typename T>
struct ValueType;

template <>
struct ValueType<std::int64_t> {
  static std::int64_t of(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
  static bool less(std::int64_t a, std::int64_t b) { return a < b; }
  static void write(std::int64_t value, fmt::memory_buffer& out) {
    fmt::format_to(fmt::appender(out), "{}", value);
  }
};

template <>
struct ValueType<double> {
  static double of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  // NaN is greater than every number.
  static bool less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }
  static void write(double value, fmt::memory_buffer& out) {
    if (std::isfinite(value)) {
      fmt::format_to(fmt::appender(out), "{}", value + 0.0);
    } else {
      out.append(std::string_view("null"));
    }
  }
};

// The objects of a result row, older first; a row of two entries has two, or one, or none.
template <typename Object>
struct Parts {
  const Object* a;
  const Object* b;

  Parts(const ResultRows& rows, std::size_t row, std::size_t offset)
      : a(object_of<Object>(rows.a[row], offset)),
        b(rows.b == nullptr ? nullptr : object_of<Object>(rows.b[row], offset)) {
    if (a == nullptr) std::swap(a, b);
  }
};

// `Value` computes a cell from the parts of a row, or nothing for NULL. What it works in it keeps,
// so that nothing is allocated for a cell.
template <typename Object, typename Value>
class GrowingOutput final : public AggregateOutput {
 public:
  GrowingOutput(std::size_t offset, Value value) : offset_(offset), value_(std::move(value)) {}

  void lower(const ResultRows& rows, Column& out, std::size_t at,
             std::vector<std::size_t>& /*overflows*/) const override {
    for (std::size_t i = 0; i < rows.size; ++i) {
      value_.write(Parts<Object>(rows, i, offset_), out, at + i);
    }
  }

 private:
  std::size_t offset_;
  // An output belongs to one stage, and the room has nothing in it between cells.
  mutable Value value_;
};

// Both parts of a multiset as one; kept in `both` where there are two.
const CountedValues& together(const Parts<CountedValues>& parts,
                              std::optional<CountedValues>& both) {
  if (parts.b == nullptr) return *parts.a;
  both.emplace(*parts.a, parts.a->memory());
  both->merge(*parts.b);
  return *both;
}

struct DistinctCount {
  void write(const Parts<CountedValues>& parts, Column& out, std::size_t row) const {
    std::size_t distinct = 0;
    if (parts.a != nullptr) distinct = parts.a->size();
    if (parts.b != nullptr) {
      const CountedValues* larger = parts.a;
      const CountedValues* smaller = parts.b;
      if (larger->size() < smaller->size()) std::swap(larger, smaller);
      distinct = larger->size();
      smaller->for_each([&](std::uint64_t value, std::uint64_t) {
        distinct += static_cast<std::size_t>(larger->count(value) == 0);
      });
    }
    out.int64s()[row] = static_cast<std::int64_t>(distinct);
  }
};

struct DistinctEstimate {
  void write(const Parts<DistinctSketch>& parts, Column& out, std::size_t row) const {
    std::uint64_t distinct = 0;
    if (parts.b != nullptr) {
      distinct = DistinctSketch::estimate(*parts.a, *parts.b);
    } else if (parts.a != nullptr) {
      distinct = parts.a->estimate();
    }
    out.int64s()[row] = static_cast<std::int64_t>(distinct);
  }
};

// Between the two values on either side of it, as SQL's percentile_cont.
struct Rank {
  Rank(double quantile, std::uint64_t count) {
    const double place = quantile * static_cast<double>(count - 1);
    below = static_cast<std::uint64_t>(place);
    above = std::min(below + 1, count - 1);
    share = place - static_cast<double>(below);
  }
  static double between(double low, double high, double share) {
    if (low == high || share == 0) return low + 0.0;
    // std::lerp says one of its ends where the other is infinite.
    if (std::isinf(low) || std::isinf(high)) return low * (1 - share) + high * share;
    return std::lerp(low, high, share) + 0.0;
  }
  std::uint64_t below;
  std::uint64_t above;
  double share;
};

template <typename T>
struct QuantileOfRuns {
  double quantile;
  std::vector<T> values{};
  std::vector<const PlainRuns*> ahead{};

  void write(const Parts<PlainRuns>& parts, Column& out, std::size_t row) {
    if (parts.a == nullptr) {
      out.set_null(row);
      return;
    }
    values.clear();
    for (const PlainRuns* const part : {parts.a, parts.b}) {
      if (part == nullptr) continue;
      part->for_each_run(ahead, [&](const PlainValue* items, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) values.push_back(ValueType<T>::of(items[i].bits));
      });
    }
    const Rank rank(quantile, values.size());
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(rank.below);
    std::nth_element(values.begin(), below, values.end(), ValueType<T>::less);
    const T low = *below;
    const T high = rank.above == rank.below
                       ? low
                       : *std::min_element(below + 1, values.end(), ValueType<T>::less);
    out.doubles()[row] =
        Rank::between(static_cast<double>(low), static_cast<double>(high), rank.share);
  }
};

template <typename T>
struct Counted {
  T value;
  std::uint64_t count;
};

// Into `ordered`.
template <typename T>
void put_in_order(const CountedValues& values, std::vector<Counted<T>>& ordered) {
  ordered.clear();
  values.for_each([&](std::uint64_t bits, std::uint64_t count) {
    ordered.push_back({ValueType<T>::of(bits), count});
  });
  std::sort(ordered.begin(), ordered.end(), [](const Counted<T>& a, const Counted<T>& b) {
    return ValueType<T>::less(a.value, b.value);
  });
}

// The value of rank `rank`, from 0.
template <typename T>
T at_rank(const std::vector<Counted<T>>& ordered, std::uint64_t rank) {
  std::size_t place = 0;
  for (std::uint64_t before = ordered[0].count; before <= rank; before += ordered[place].count) {
    ++place;
  }
  return ordered[place].value;
}

template <typename T>
struct QuantileOfCounts {
  double quantile;
  std::vector<Counted<T>> ordered{};

  void write(const Parts<CountedValues>& parts, Column& out, std::size_t row) {
    std::optional<CountedValues> both;
    if (parts.a == nullptr || parts.a->total() == 0) {
      out.set_null(row);
      return;
    }
    const CountedValues& values = together(parts, both);
    put_in_order(values, ordered);
    const Rank rank(quantile, values.total());
    out.doubles()[row] =
        Rank::between(static_cast<double>(at_rank(ordered, rank.below)),
                      static_cast<double>(at_rank(ordered, rank.above)), rank.share);
  }
};

// The bucket of the value of rank floor(q (n - 1)).
struct QuantileOfBuckets {
  double quantile;
  std::vector<Counted<std::int64_t>> ordered{};

  void write(const Parts<CountedValues>& parts, Column& out, std::size_t row) {
    std::optional<CountedValues> both;
    if (parts.a == nullptr || parts.a->total() == 0) {
      out.set_null(row);
      return;
    }
    const CountedValues& buckets = together(parts, both);
    const Rank rank(quantile, buckets.total());
    put_in_order(buckets, ordered);
    out.doubles()[row] = quantile_bucket_value(at_rank(ordered, rank.below));
  }
};

// The values that are there most often, and of equally frequent ones the smaller first.
template <typename T>
struct MostFrequent {
  std::size_t most;
  std::vector<Counted<T>> ordered{};
  fmt::memory_buffer text{};

  void write(const Parts<CountedValues>& parts, Column& out, std::size_t row) {
    std::optional<CountedValues> both;
    if (parts.a == nullptr || parts.a->total() == 0) {
      out.set_null(row);
      out.set_string(row, {});
      return;
    }
    ordered.clear();
    together(parts, both).for_each([&](std::uint64_t bits, std::uint64_t count) {
      ordered.push_back({ValueType<T>::of(bits), count});
    });
    const auto end = ordered.begin() + static_cast<std::ptrdiff_t>(std::min(most, ordered.size()));
    std::partial_sort(
        ordered.begin(), end, ordered.end(), [](const Counted<T>& a, const Counted<T>& b) {
          return a.count != b.count ? a.count > b.count : ValueType<T>::less(a.value, b.value);
        });
    text.clear();
    for (auto counted = ordered.begin(); counted != end; ++counted) {
      text.push_back(text.size() == 0 ? '[' : ',');
      ValueType<T>::write(counted->value, text);
    }
    text.push_back(']');
    out.set_string(row, {text.data(), text.size()});
  }
};

template <typename T>
struct Collected {
  struct Placed {
    TimedValue value;
    std::size_t place;
  };
  std::vector<Placed> values{};
  std::vector<const TimedRuns*> ahead{};
  fmt::memory_buffer text{};

  void write(const Parts<TimedRuns>& parts, Column& out, std::size_t row) {
    if (parts.a == nullptr) {
      out.set_null(row);
      out.set_string(row, {});
      return;
    }
    values.clear();
    for (const TimedRuns* const part : {parts.a, parts.b}) {
      if (part == nullptr) continue;
      part->for_each_run(ahead, [&](const TimedValue* items, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) values.push_back({items[i], values.size()});
      });
    }
    std::sort(values.begin(), values.end(), [](const Placed& a, const Placed& b) {
      return a.value.time != b.value.time ? a.value.time < b.value.time : a.place < b.place;
    });
    text.clear();
    for (const Placed& placed : values) {
      text.push_back(text.size() == 0 ? '[' : ',');
      ValueType<T>::write(ValueType<T>::of(placed.value.bits), text);
    }
    text.push_back(']');
    out.set_string(row, {text.data(), text.size()});
  }
};

template <typename Object, typename Value>
std::unique_ptr<AggregateOutput> make(std::size_t offset, Value value) {
  return std::make_unique<GrowingOutput<Object, Value>>(offset, std::move(value));
}

template <typename T>
std::unique_ptr<AggregateOutput> make_typed(const AggregateSpec& aggregate, Primitive primitive,
                                            std::size_t offset) {
  const double quantile =
      aggregate.function == AggregateFunction::kMedian ? 0.5 : aggregate.parameter;
  switch (aggregate.function) {
    case AggregateFunction::kCountDistinct:
      return make<CountedValues>(offset, DistinctCount{});
    case AggregateFunction::kApproxDistinct:
      return make<DistinctSketch>(offset, DistinctEstimate{});
    case AggregateFunction::kApproxQuantile:
      return make<CountedValues>(offset, QuantileOfBuckets{quantile});
    case AggregateFunction::kTopK:
      return make<CountedValues>(offset,
                                 MostFrequent<T>{static_cast<std::size_t>(aggregate.parameter)});
    case AggregateFunction::kCollect:
      return make<TimedRuns>(offset, Collected<T>{});
    default:
      if (primitive == Primitive::kCountedValues) {
        return make<CountedValues>(offset, QuantileOfCounts<T>{quantile});
      }
      return make<PlainRuns>(offset, QuantileOfRuns<T>{quantile});
  }
}

}  // namespace

std::unique_ptr<AggregateOutput> make_growing_output(const AggregateSpec& aggregate,
                                                     Primitive primitive, ColumnType type,
                                                     std::size_t offset) {
  if (type == ColumnType::kDouble) return make_typed<double>(aggregate, primitive, offset);
  return make_typed<std::int64_t>(aggregate, primitive, offset);
}

}  // namespace tidemark
