#include "tidemark/operators/aggregate_kernel.h"

#include <limits>
#include <type_traits>

#include "tidemark/operators/aggregate_operation.h"

namespace tidemark {

namespace {

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

  void init(std::byte* entry) const override {
    store_state(entry, offset(), Operation::identity());
  }

  // State is stored through bytes, which may alias anything: what a loop needs is held in locals.

  void update(std::byte* const* entries, const Column* values, const EventTime* times,
              std::size_t begin, std::size_t n) const override {
    (void)times;
    const std::size_t at = offset();
    if constexpr (std::is_void_v<Input>) {
      for (std::size_t i = 0; i < n; ++i) {
        store_state(entries[i], at, load_state<State>(entries[i], at) + 1);
      }
    } else {
      const Input* cells = cells_of<Input>(*values) + begin;
      const bool has_nulls = values->has_nulls();
      for (std::size_t i = 0; i < n; ++i) {
        if (has_nulls && values->is_null(begin + i)) continue;
        std::byte* entry = entries[i];
        if constexpr (requires { Operation::add_in_place(entry, at, cells[i]); }) {
          Operation::add_in_place(entry, at, cells[i]);
        } else if constexpr (requires { Operation::kReadsTimes; }) {
          const State state = load_state<State>(entry, at);
          store_state(entry, at, Operation::add(state, cells[i], times[begin + i]));
        } else {
          store_state(entry, at, Operation::add(load_state<State>(entry, at), cells[i]));
        }
      }
    }
  }

  void merge(std::byte* const* into, std::size_t shift, const std::byte* from, std::size_t stride,
             std::size_t n) const override {
    const std::size_t at = offset();
    const std::size_t into_at = at + shift;
    for (std::size_t i = 0; i < n; ++i) {
      const State state = load_state<State>(from + i * stride, at);
      store_state(into[i], into_at, Operation::combine(load_state<State>(into[i], into_at), state));
    }
  }

  void subtract(std::byte* const* into, const std::byte* from, std::size_t stride,
                std::size_t n) const override {
    if constexpr (Operation::kInvertible) {
      const std::size_t at = offset();
      for (std::size_t i = 0; i < n; ++i) {
        const State state = load_state<State>(from + i * stride, at);
        store_state(into[i], at, Operation::remove(load_state<State>(into[i], at), state));
      }
    } else {
      (void)into, (void)from, (void)stride, (void)n;
    }
  }

  void fold(std::byte* const* into, std::size_t shift, std::byte* from, std::size_t stride,
            std::size_t n) const override {
    const std::size_t at = offset();
    const std::size_t into_at = at + shift;
    for (std::size_t i = 0; i < n; ++i) {
      std::byte* entry = from + i * stride;
      const State before = load_state<State>(into[i], into_at);
      store_state(into[i], into_at, Operation::combine(load_state<State>(entry, at), before));
      store_state(entry, at, before);
    }
  }

  bool worn(const std::byte* entry) const override {
    if constexpr (requires(State state) { Operation::worn(state); }) {
      return Operation::worn(load_state<State>(entry, offset()));
    } else {
      return PrimitiveKernel::worn(entry);
    }
  }
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
  // A sum that has overflowed has left no compensation.
  return std::isfinite(sum) ? sum + compensation : sum;
}

std::unique_ptr<PrimitiveKernel> make_primitive_kernel(Primitive primitive, ColumnType type,
                                                       std::size_t state_offset,
                                                       std::pmr::memory_resource& memory) {
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
    case Primitive::kMoments:
      return make_typed<MomentsOf>(type, state_offset);
    case Primitive::kFirst:
      return make_typed<First>(type, state_offset);
    case Primitive::kLast:
      return make_typed<Last>(type, state_offset);
    default:
      return make_growing_kernel(primitive, type, state_offset, memory);
  }
}

}  // namespace tidemark
