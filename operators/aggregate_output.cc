#include "tidemark/operators/aggregate_output.h"

#include <algorithm>
#include <type_traits>

namespace tidemark {

namespace {

struct StatePair {
  const std::byte* a;
  const std::byte* b;

  template <typename State, typename Combine>
  State combined(std::size_t offset, const Combine& combine) const {
    const State first = load_state<State>(a, offset);
    return b == nullptr ? first : combine(first, load_state<State>(b, offset));
  }
  bool valid(int input) const {
    const std::uint32_t bits = entry_header(a).valid | (b == nullptr ? 0U : entry_header(b).valid);
    return (bits >> input & 1U) != 0;
  }
};

std::uint64_t combined_count(const StatePair& pair, std::size_t offset) {
  return pair.combined<std::uint64_t>(offset,
                                      [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

WideInteger combined_wide(const StatePair& pair, std::size_t offset) {
  return pair.combined<WideInteger>(offset, add_wide);
}

double combined_double(const StatePair& pair, std::size_t offset) {
  return pair.combined<double>(offset, [](double x, double y) { return x + y; });
}

double combined_compensated(const StatePair& pair, std::size_t offset) {
  // Only running state is compensated, and it is held in one part.
  return load_state<CompensatedDouble>(pair.a, offset).value();
}

bool fits_int64(WideInteger value) {
  return value.high == (static_cast<std::int64_t>(value.low) >> 63);
}

double to_double(WideInteger value) {
  __extension__ using Int128 = __int128;
  return static_cast<double>(static_cast<Int128>(value.high) * (static_cast<Int128>(1) << 64) +
                             static_cast<Int128>(value.low));
}

template <typename Lower>
class Output final : public AggregateOutput {
 public:
  explicit Output(Lower lower_row) : lower_row_(std::move(lower_row)) {}

  void lower(const std::byte* const* a, const std::byte* const* b, std::size_t n, Column& out,
             std::size_t at, std::vector<std::size_t>& overflows) const override {
    if (b == nullptr) {
      for (std::size_t i = 0; i < n; ++i) lower_row_({a[i], nullptr}, out, at + i, i, overflows);
    } else {
      for (std::size_t i = 0; i < n; ++i) lower_row_({a[i], b[i]}, out, at + i, i, overflows);
    }
  }

 private:
  Lower lower_row_;
};

template <typename Lower>
std::unique_ptr<AggregateOutput> make(Lower lower_row) {
  return std::make_unique<Output<Lower>>(std::move(lower_row));
}

// A double column whose cell is NULL unless the input has had a value.
template <typename Value>
std::unique_ptr<AggregateOutput> make_nullable_double(int input, Value value) {
  return make([input, value](StatePair pair, Column& out, std::size_t row, std::size_t,
                             std::vector<std::size_t>&) {
    if (pair.valid(input)) {
      out.doubles()[row] = value(pair);
    } else {
      out.set_null(row);
    }
  });
}

template <typename T, typename Choose>
std::unique_ptr<AggregateOutput> make_choice(std::size_t offset, int input, Choose choose) {
  return make([offset, input, choose](StatePair pair, Column& out, std::size_t row, std::size_t,
                                      std::vector<std::size_t>&) {
    if (!pair.valid(input)) {
      out.set_null(row);
      return;
    }
    const T value = pair.combined<T>(offset, choose);
    if constexpr (std::is_same_v<T, double>) {
      out.doubles()[row] = value + 0.0;  // -0 and 0 are equal: which came first must not show
    } else {
      out.int64s()[row] = value;
    }
  });
}

}  // namespace

std::unique_ptr<AggregateOutput> make_count_output(std::size_t offset) {
  return make([offset](StatePair pair, Column& out, std::size_t row, std::size_t,
                       std::vector<std::size_t>&) {
    out.int64s()[row] = static_cast<std::int64_t>(combined_count(pair, offset));
  });
}

std::unique_ptr<AggregateOutput> make_integer_sum_output(std::size_t offset, int input) {
  return make([offset, input](StatePair pair, Column& out, std::size_t row, std::size_t index,
                              std::vector<std::size_t>& overflows) {
    if (!pair.valid(input)) {
      out.set_null(row);
      return;
    }
    const WideInteger sum = combined_wide(pair, offset);
    if (fits_int64(sum)) {
      out.int64s()[row] = static_cast<std::int64_t>(sum.low);
    } else {
      out.set_null(row);
      overflows.push_back(index);
    }
  });
}

std::unique_ptr<AggregateOutput> make_double_sum_output(std::size_t offset, int input,
                                                        bool compensated) {
  if (compensated) {
    return make_nullable_double(
        input, [offset](const StatePair& pair) { return combined_compensated(pair, offset); });
  }
  return make_nullable_double(
      input, [offset](const StatePair& pair) { return combined_double(pair, offset); });
}

std::unique_ptr<AggregateOutput> make_extremum_output(Primitive primitive, ColumnType type,
                                                      std::size_t offset, int input) {
  const bool minimum = primitive == Primitive::kMin;
  if (type == ColumnType::kDouble) {
    return minimum ? make_choice<double>(offset, input, smaller_double)
                   : make_choice<double>(offset, input, greater_double);
  }
  if (minimum) {
    return make_choice<std::int64_t>(offset, input,
                                     [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
  }
  return make_choice<std::int64_t>(offset, input,
                                   [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
}

std::unique_ptr<AggregateOutput> make_average_output(Primitive sum, ColumnType type,
                                                     std::size_t sum_offset,
                                                     std::size_t count_offset, int input) {
  const auto count = [count_offset](const StatePair& pair) {
    return static_cast<double>(combined_count(pair, count_offset));
  };
  if (type == ColumnType::kInt64) {
    return make_nullable_double(input, [sum_offset, count](const StatePair& pair) {
      return to_double(combined_wide(pair, sum_offset)) / count(pair);
    });
  }
  if (sum == Primitive::kCompensatedSum) {
    return make_nullable_double(input, [sum_offset, count](const StatePair& pair) {
      return combined_compensated(pair, sum_offset) / count(pair);
    });
  }
  return make_nullable_double(input, [sum_offset, count](const StatePair& pair) {
    return combined_double(pair, sum_offset) / count(pair);
  });
}

}  // namespace tidemark
