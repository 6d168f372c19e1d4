#include "tidemark/operators/aggregate_output.h"

#include <cmath>
#include <type_traits>

#include "tidemark/operators/aggregate_operation.h"

namespace tidemark {

namespace {

// What is in the first part alone; see AggregateLayout.
template <typename Operation>
constexpr bool kUndoneExactly =
    std::is_base_of_v<CountOperation, Operation> || std::is_same_v<Operation, SumIntegers>;

// The state of a result row that is held in one entry, or, unless it can be undone exactly, in two.
template <typename Operation, bool kTwoParts>
typename Operation::State row_state(const std::byte* a, const std::byte* b, std::size_t offset) {
  using State = typename Operation::State;
  if constexpr (kTwoParts && !kUndoneExactly<Operation>) {
    return Operation::combine(load_state<State>(a, offset), load_state<State>(b, offset));
  } else {
    (void)b;
    return load_state<State>(a, offset);
  }
}

template <typename Cell>
Cell* cells_of(Column& column) {
  if constexpr (std::is_same_v<Cell, double>) {
    return column.doubles();
  } else {
    return column.int64s();
  }
}

void set_nulls(const std::byte* const* a, std::size_t n, int input, Column& out, std::size_t at) {
  for (std::size_t i = 0; i < n; ++i) {
    if ((row_valid(a, i) >> input & 1U) == 0) out.set_null(at + i);
  }
}

// `Value` computes a cell from the states; validity and the two shapes of a row are handled here,
// so that its loop has no branch.
template <typename Value>
class Output final : public AggregateOutput {
 public:
  Output(int input, Value value) : input_(input), value_(value) {}

  void lower(const ResultRows& rows, Column& out, std::size_t at,
             std::vector<std::size_t>& overflows) const override {
    if (rows.b == nullptr) {
      lower_rows<false>(rows, out, at, overflows);
    } else {
      lower_rows<true>(rows, out, at, overflows);
    }
    if (input_ != AggregateSpec::kRows && (rows.all_valid >> input_ & 1U) == 0) {
      set_nulls(rows.a, rows.size, input_, out, at);
    }
  }

 private:
  template <bool kTwoParts>
  void lower_rows(const ResultRows& rows, Column& out, std::size_t at,
                  std::vector<std::size_t>& overflows) const {
    auto* cells = cells_of<typename Value::Cell>(out) + at;
    bool fits = true;
    for (std::size_t i = 0; i < rows.size; ++i) {
      cells[i] = value_.template cell<kTwoParts>(rows.a[i], rows.part_b(i), fits);
    }
    if (fits) return;
    for (std::size_t i = 0; i < rows.size; ++i) {
      fits = true;
      value_.template cell<kTwoParts>(rows.a[i], rows.part_b(i), fits);
      if (fits) continue;
      out.set_null(at + i);
      overflows.push_back(i);
    }
  }

  int input_;
  Value value_;
};

struct CountValue {
  using Cell = std::int64_t;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    return static_cast<Cell>(row_state<CountOperation, kTwoParts>(a, b, offset));
  }
};

struct IntegerSumValue {
  using Cell = std::int64_t;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool& fits) const {
    const WideInteger sum = row_state<SumIntegers, kTwoParts>(a, b, offset);
    fits &= sum.high == (static_cast<std::int64_t>(sum.low) >> 63);
    return static_cast<Cell>(sum.low);
  }
};

struct DoubleSumValue {
  using Cell = double;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    return row_state<SumDoubles, kTwoParts>(a, b, offset);
  }
};

struct CompensatedSumValue {
  using Cell = double;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    return row_state<CompensatedSumDoubles, kTwoParts>(a, b, offset).value();
  }
};

// -0 and 0 are equal: which of them came must not show.
inline double zero_without_sign(double value) { return value + 0.0; }
inline std::int64_t zero_without_sign(std::int64_t value) { return value; }

template <typename Operation>
struct ExtremumValue {
  using Cell = typename Operation::State;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    return zero_without_sign(row_state<Operation, kTwoParts>(a, b, offset));
  }
};

// The exact sum of integers, rounded once, over the count.
struct IntegerAverageValue {
  using Cell = double;
  std::size_t sum_offset;
  std::size_t count_offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    const WideInteger sum = row_state<SumIntegers, kTwoParts>(a, b, sum_offset);
    const auto count = row_state<CountOperation, kTwoParts>(a, b, count_offset);
    return static_cast<double>(to_int128(sum)) / static_cast<double>(count);
  }
};

template <typename SumValue>
struct DoubleAverageValue {
  using Cell = double;
  SumValue sum;
  std::size_t count_offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool& fits) const {
    const auto count = row_state<CountOperation, kTwoParts>(a, b, count_offset);
    return sum.template cell<kTwoParts>(a, b, fits) / static_cast<double>(count);
  }
};

// Variance, or its root. Those of a sample need two values.
template <typename T>
class MomentsOutput final : public AggregateOutput {
 public:
  MomentsOutput(std::size_t offset, bool of_sample, bool root)
      : offset_(offset), of_sample_(of_sample), root_(root) {}

  void lower(const ResultRows& rows, Column& out, std::size_t at,
             std::vector<std::size_t>& /*overflows*/) const override {
    double* const cells = out.doubles() + at;
    for (std::size_t i = 0; i < rows.size; ++i) {
      auto moments = load_state<Moments<T>>(rows.a[i], offset_);
      if (rows.b != nullptr) {
        moments = MomentsOf<T>::combine(moments, load_state<Moments<T>>(rows.b[i], offset_));
      }
      if (moments.count < (of_sample_ ? 2 : 1)) {
        out.set_null(at + i);
        continue;
      }
      const double variance =
          moments.squares / static_cast<double>(moments.count - (of_sample_ ? 1 : 0));
      cells[i] = root_ ? std::sqrt(variance) : variance;
    }
  }

 private:
  std::size_t offset_;
  bool of_sample_;
  bool root_;
};

template <typename Operation>
struct TimedValueOf {
  using Cell = typename Operation::Input;
  std::size_t offset;
  template <bool kTwoParts>
  Cell cell(const std::byte* a, const std::byte* b, bool&) const {
    return zero_without_sign(row_state<Operation, kTwoParts>(a, b, offset).value);
  }
};

template <typename Value>
std::unique_ptr<AggregateOutput> make(int input, Value value) {
  return std::make_unique<Output<Value>>(input, value);
}

template <template <typename> typename Operation>
std::unique_ptr<AggregateOutput> make_extremum(ColumnType type, std::size_t offset, int input) {
  if (type == ColumnType::kDouble) return make(input, ExtremumValue<Operation<double>>{offset});
  return make(input, ExtremumValue<Operation<std::int64_t>>{offset});
}

template <template <typename> typename Operation>
std::unique_ptr<AggregateOutput> make_timed(ColumnType type, std::size_t offset, int input) {
  if (type == ColumnType::kDouble) return make(input, TimedValueOf<Operation<double>>{offset});
  return make(input, TimedValueOf<Operation<std::int64_t>>{offset});
}

}  // namespace

std::unique_ptr<AggregateOutput> make_moments_output(AggregateFunction function, ColumnType type,
                                                     std::size_t offset) {
  const bool root =
      function == AggregateFunction::kStddev || function == AggregateFunction::kStddevPopulation;
  const bool of_sample =
      function == AggregateFunction::kStddev || function == AggregateFunction::kVariance;
  if (type == ColumnType::kDouble) {
    return std::make_unique<MomentsOutput<double>>(offset, of_sample, root);
  }
  return std::make_unique<MomentsOutput<std::int64_t>>(offset, of_sample, root);
}

std::unique_ptr<AggregateOutput> make_timed_output(Primitive primitive, ColumnType type,
                                                   std::size_t offset, int input) {
  return primitive == Primitive::kFirst ? make_timed<First>(type, offset, input)
                                        : make_timed<Last>(type, offset, input);
}

std::unique_ptr<AggregateOutput> make_count_output(std::size_t offset) {
  return make(AggregateSpec::kRows, CountValue{offset});
}

std::unique_ptr<AggregateOutput> make_integer_sum_output(std::size_t offset, int input) {
  return make(input, IntegerSumValue{offset});
}

std::unique_ptr<AggregateOutput> make_double_sum_output(std::size_t offset, int input,
                                                        bool compensated) {
  if (compensated) return make(input, CompensatedSumValue{offset});
  return make(input, DoubleSumValue{offset});
}

std::unique_ptr<AggregateOutput> make_extremum_output(Primitive primitive, ColumnType type,
                                                      std::size_t offset, int input) {
  return primitive == Primitive::kMin ? make_extremum<Minimum>(type, offset, input)
                                      : make_extremum<Maximum>(type, offset, input);
}

std::unique_ptr<AggregateOutput> make_average_output(Primitive sum, ColumnType type,
                                                     std::size_t sum_offset,
                                                     std::size_t count_offset, int input) {
  if (type == ColumnType::kInt64) return make(input, IntegerAverageValue{sum_offset, count_offset});
  if (sum == Primitive::kCompensatedSum) {
    return make(input, DoubleAverageValue<CompensatedSumValue>{{sum_offset}, count_offset});
  }
  return make(input, DoubleAverageValue<DoubleSumValue>{{sum_offset}, count_offset});
}

}  // namespace tidemark
