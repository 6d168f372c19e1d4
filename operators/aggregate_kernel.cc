#include "tidemark/operators/aggregate_kernel.h"

#include <cmath>
#include <limits>

namespace tidemark {

namespace {

__extension__ using Int128 = __int128;

Int128 to_int128(WideInteger value) {
  return static_cast<Int128>(value.high) * (static_cast<Int128>(1) << 64) +
         static_cast<Int128>(value.low);
}

WideInteger to_wide(Int128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::int64_t>(value >> 64)};
}

// Each operation names its state and input, the state of nothing, how a value enters, how two
// states combine and, if it can be undone, how one leaves.

struct CountOperation {
  using State = std::uint64_t;
  static constexpr bool kInvertible = true;
  static State identity() { return 0; }
  static State combine(State a, State b) { return a + b; }
  static State remove(State a, State b) { return a - b; }
};

struct CountRows : CountOperation {
  using Input = void;
};

template <typename T>
struct CountValues : CountOperation {
  using Input = T;
  static State add(State state, T) { return state + 1; }
};

struct SumIntegers {
  using State = WideInteger;
  using Input = std::int64_t;
  static constexpr bool kInvertible = true;
  static State identity() { return {0, 0}; }
  static State add(State state, std::int64_t value) { return to_wide(to_int128(state) + value); }
  static State combine(State a, State b) { return to_wide(to_int128(a) + to_int128(b)); }
  static State remove(State a, State b) { return to_wide(to_int128(a) - to_int128(b)); }
};

struct SumDoubles {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return 0.0; }
  static State add(State state, double value) { return state + value; }
  static State combine(State a, State b) { return a + b; }
};

// Kahan-Babuska summation (Neumaier 1974); what is not finite is counted apart, so that it can
// leave again.
struct CompensatedSumDoubles {
  using State = CompensatedDouble;
  using Input = double;
  static constexpr bool kInvertible = true;

  static State identity() { return {}; }

  static void add_finite(State& state, double value) {
    const double total = state.sum + value;
    if (std::fabs(state.sum) >= std::fabs(value)) {
      state.compensation += (state.sum - total) + value;
    } else {
      state.compensation += (value - total) + state.sum;
    }
    state.sum = total;
  }

  static State add(State state, double value) {
    if (std::isfinite(value)) {
      add_finite(state, value);
    } else if (std::isnan(value)) {
      ++state.nans;
    } else if (value > 0) {
      ++state.positive_infinities;
    } else {
      ++state.negative_infinities;
    }
    return state;
  }

  static State combine_signed(State a, const State& b, int sign) {
    add_finite(a, sign * b.sum);
    add_finite(a, sign * b.compensation);
    a.nans += sign * b.nans;
    a.positive_infinities += sign * b.positive_infinities;
    a.negative_infinities += sign * b.negative_infinities;
    return a;
  }
  static State combine(State a, const State& b) { return combine_signed(a, b, 1); }
  static State remove(State a, const State& b) { return combine_signed(a, b, -1); }
};

template <typename T>
struct Minimum {
  using State = T;
  using Input = T;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<T>::max(); }
  static State add(State state, T value) { return combine(state, value); }
  static State combine(State a, State b) { return b < a ? b : a; }
};

template <>
struct Minimum<double> {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<double>::quiet_NaN(); }
  static State add(State state, double value) { return smaller_double(state, value); }
  static State combine(State a, State b) { return smaller_double(a, b); }
};

template <typename T>
struct Maximum {
  using State = T;
  using Input = T;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<T>::lowest(); }
  static State add(State state, T value) { return combine(state, value); }
  static State combine(State a, State b) { return a < b ? b : a; }
};

template <>
struct Maximum<double> {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return -std::numeric_limits<double>::infinity(); }
  static State add(State state, double value) { return greater_double(state, value); }
  static State combine(State a, State b) { return greater_double(a, b); }
};

template <typename T>
const T* cells_of(const Column& column) {
  if constexpr (std::is_same_v<T, double>) {
    return column.doubles();
  } else {
    return column.int64s();
  }
}

template <typename Operation>
class Kernel final : public PrimitiveKernel {
 public:
  using State = typename Operation::State;
  using Input = typename Operation::Input;
  using PrimitiveKernel::PrimitiveKernel;

  std::size_t state_size() const override { return sizeof(State); }
  bool invertible() const override { return Operation::kInvertible; }

  void init(std::byte* entry) const override { store(entry, Operation::identity()); }

  void update(std::byte* const* entries, const Column* values, std::size_t begin,
              std::size_t n) const override {
    if constexpr (std::is_void_v<Input>) {
      for (std::size_t i = 0; i < n; ++i) store(entries[i], load(entries[i]) + 1);
    } else {
      const Input* cells = cells_of<Input>(*values) + begin;
      if (!values->has_nulls()) {
        for (std::size_t i = 0; i < n; ++i) {
          store(entries[i], Operation::add(load(entries[i]), cells[i]));
        }
        return;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (values->is_null(begin + i)) continue;
        store(entries[i], Operation::add(load(entries[i]), cells[i]));
      }
    }
  }

  void merge(std::byte* const* into, const std::byte* from, std::size_t stride,
             std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      store(into[i], Operation::combine(load(into[i]), load(from + i * stride)));
    }
  }

  void subtract(std::byte* const* into, const std::byte* from, std::size_t stride,
                std::size_t n) const override {
    if constexpr (Operation::kInvertible) {
      for (std::size_t i = 0; i < n; ++i) {
        store(into[i], Operation::remove(load(into[i]), load(from + i * stride)));
      }
    } else {
      (void)into, (void)from, (void)stride, (void)n;
    }
  }

  void fold(std::byte* const* into, std::byte* from, std::size_t stride,
            std::size_t n) const override {
    for (std::size_t i = 0; i < n; ++i) {
      const State before = load(into[i]);
      store(into[i], Operation::combine(before, load(from + i * stride)));
      store(from + i * stride, before);
    }
  }

 private:
  State load(const std::byte* entry) const { return load_state<State>(entry, offset()); }
  void store(std::byte* entry, const State& state) const { store_state(entry, offset(), state); }
};

template <template <typename> typename Operation>
std::unique_ptr<PrimitiveKernel> make_typed(ColumnType type, std::size_t offset) {
  if (type == ColumnType::kDouble) return std::make_unique<Kernel<Operation<double>>>(offset);
  return std::make_unique<Kernel<Operation<std::int64_t>>>(offset);
}

}  // namespace

double CompensatedDouble::value() const {
  if (nans > 0 || (positive_infinities > 0 && negative_infinities > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (positive_infinities > 0) return std::numeric_limits<double>::infinity();
  if (negative_infinities > 0) return -std::numeric_limits<double>::infinity();
  return sum + compensation;
}

double smaller_double(double a, double b) { return b < a || std::isnan(a) ? b : a; }
double greater_double(double a, double b) { return a < b || std::isnan(b) ? b : a; }

WideInteger add_wide(WideInteger a, WideInteger b) { return SumIntegers::combine(a, b); }

std::unique_ptr<PrimitiveKernel> make_primitive_kernel(Primitive primitive, ColumnType type,
                                                       std::size_t state_offset) {
  switch (primitive) {
    case Primitive::kCountRows:
      return std::make_unique<Kernel<CountRows>>(state_offset);
    case Primitive::kCountValues:
      return make_typed<CountValues>(type, state_offset);
    case Primitive::kSum:
      if (type == ColumnType::kDouble) return std::make_unique<Kernel<SumDoubles>>(state_offset);
      return std::make_unique<Kernel<SumIntegers>>(state_offset);
    case Primitive::kCompensatedSum:
      return std::make_unique<Kernel<CompensatedSumDoubles>>(state_offset);
    case Primitive::kMin:
      return make_typed<Minimum>(type, state_offset);
    case Primitive::kMax:
      return make_typed<Maximum>(type, state_offset);
  }
  return nullptr;
}

}  // namespace tidemark
