#include "tidemark/operators/growing_states.h"

namespace tidemark {

namespace {

template <typename Object, typename Policy, bool kInvertible>
std::unique_ptr<PrimitiveKernel> make(ColumnType type, std::size_t offset,
                                      std::pmr::memory_resource& memory) {
  if (type == ColumnType::kDouble) {
    return std::make_unique<HandleKernel<Object, Policy, double, kInvertible>>(offset, memory);
  }
  return std::make_unique<HandleKernel<Object, Policy, std::int64_t, kInvertible>>(offset, memory);
}

}  // namespace

std::unique_ptr<PrimitiveKernel> make_growing_kernel(Primitive primitive, ColumnType type,
                                                     std::size_t state_offset,
                                                     std::pmr::memory_resource& memory) {
  switch (primitive) {
    case Primitive::kCountedValues:
      return make<CountedValues, OfBits<CountedValues>, true>(type, state_offset, memory);
    case Primitive::kQuantileBuckets:
      return make<CountedValues, OfBuckets, true>(type, state_offset, memory);
    case Primitive::kDistinctSketch:
      return make<DistinctSketch, OfBits<DistinctSketch>, false>(type, state_offset, memory);
    case Primitive::kValueRuns:
      return make<PlainRuns, PlainRuns, false>(type, state_offset, memory);
    case Primitive::kTimedRuns:
      return make<TimedRuns, TimedRuns, false>(type, state_offset, memory);
    default:
      return nullptr;
  }
}

}  // namespace tidemark
