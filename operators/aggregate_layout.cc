#include "tidemark/operators/aggregate_layout.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tidemark/operators/aggregate_output.h"
#include "tidemark/operators/user_aggregate.h"

namespace tidemark {

namespace {

ColumnType input_type_of(const Schema& values, int input) {
  return input == AggregateSpec::kRows ? ColumnType::kInt64
                                       : values[static_cast<std::size_t>(input)].type;
}

Primitive count_primitive(int input) {
  return input == AggregateSpec::kRows ? Primitive::kCountRows : Primitive::kCountValues;
}

// The state behind an aggregate that has one of its own.
Primitive primitive_of(AggregateFunction function, bool undoable) {
  switch (function) {
    case AggregateFunction::kMin:
      return Primitive::kMin;
    case AggregateFunction::kMax:
      return Primitive::kMax;
    case AggregateFunction::kFirst:
      return Primitive::kFirst;
    case AggregateFunction::kLast:
      return Primitive::kLast;
    case AggregateFunction::kCountDistinct:
    case AggregateFunction::kTopK:
      return Primitive::kCountedValues;
    case AggregateFunction::kMedian:
    case AggregateFunction::kQuantile:
      return undoable ? Primitive::kCountedValues : Primitive::kValueRuns;
    case AggregateFunction::kApproxDistinct:
      return Primitive::kDistinctSketch;
    case AggregateFunction::kApproxQuantile:
      return Primitive::kQuantileBuckets;
    case AggregateFunction::kCollect:
      return Primitive::kTimedRuns;
    default:
      return Primitive::kMoments;
  }
}

}  // namespace

AggregateLayout::AggregateLayout(const Schema& values, const std::vector<AggregateSpec>& aggregates,
                                 bool undoable, std::pmr::memory_resource& memory)
    : value_columns_(values.size()), memory_(memory) {
  for (const AggregateSpec& aggregate : aggregates) place_undone(aggregate, values);
  undone_size_ = entry_size_;
  undone_kernels_ = kernels_.size();
  for (const AggregateSpec& aggregate : aggregates) {
    const ColumnType input = input_type_of(values, aggregate.input);
    exactly_associative_ &= algebra_of(aggregate, input).exactly_associative;
    const ColumnType result = result_type(aggregate, input);
    has_text_results_ |= result == ColumnType::kString;
    result_columns_.push_back({aggregate.name, result});
    outputs_.push_back(make_output(aggregate, values, undoable));
  }
  initial_.resize(entry_size_);
  entry_header(initial_.data()) = {0, 0};
  for (const BoundKernel& bound : kernels_) bound.kernel->init(initial_.data());
}

void AggregateLayout::place_undone(const AggregateSpec& aggregate, const Schema& values) {
  const int input = aggregate.input;
  const bool is_sum = aggregate.function == AggregateFunction::kSum;
  const bool is_average = aggregate.function == AggregateFunction::kAvg;
  if (aggregate.function == AggregateFunction::kCount) {
    place(count_primitive(input), input, values);
  }
  if ((is_sum || is_average) && input_type_of(values, input) == ColumnType::kInt64) {
    place(Primitive::kSum, input, values);
  }
  if (is_average) place(Primitive::kCountValues, input, values);
}

std::size_t AggregateLayout::place(Primitive primitive, int input, const Schema& values) {
  for (const BoundKernel& bound : kernels_) {
    if (bound.primitive == primitive && bound.input == input) return bound.offset;
  }
  return add_kernel(
      primitive, input,
      make_primitive_kernel(primitive, input_type_of(values, input), entry_size_, memory_));
}

std::size_t AggregateLayout::add_kernel(Primitive primitive, int input,
                                        std::unique_ptr<PrimitiveKernel> kernel) {
  const std::size_t offset = entry_size_;
  entry_size_ += kernel->state_size();
  exactly_invertible_ &= kernel->invertible() && primitive != Primitive::kCompensatedSum &&
                         primitive != Primitive::kUser;
  trivial_ &= kernel->trivial();
  kernels_.push_back({primitive, input, offset, std::move(kernel)});
  return offset;
}

std::unique_ptr<AggregateOutput> AggregateLayout::make_output(const AggregateSpec& aggregate,
                                                              const Schema& values, bool undoable) {
  const int input = aggregate.input;
  if (aggregate.function == AggregateFunction::kCount) {
    return make_count_output(place(count_primitive(input), input, values));
  }
  if (aggregate.function == AggregateFunction::kUser) {
    const std::size_t offset =
        add_kernel(Primitive::kUser, input, aggregate.user->make_kernel(entry_size_));
    return aggregate.user->make_output(offset, input);
  }
  const ColumnType type = input_type_of(values, input);
  const bool compensated = undoable && type == ColumnType::kDouble;
  const Primitive sum = compensated ? Primitive::kCompensatedSum : Primitive::kSum;
  if (aggregate.function == AggregateFunction::kSum) {
    const std::size_t offset = place(sum, input, values);
    return type == ColumnType::kInt64 ? make_integer_sum_output(offset, input)
                                      : make_double_sum_output(offset, input, compensated);
  }
  if (aggregate.function == AggregateFunction::kAvg) {
    const std::size_t sum_offset = place(sum, input, values);
    const std::size_t count_offset = place(Primitive::kCountValues, input, values);
    return make_average_output(sum, type, sum_offset, count_offset, input);
  }
  const Primitive primitive = primitive_of(aggregate.function, undoable);
  const std::size_t offset = place(primitive, input, values);
  switch (primitive) {
    case Primitive::kMin:
    case Primitive::kMax:
      return make_extremum_output(primitive, type, offset, input);
    case Primitive::kFirst:
    case Primitive::kLast:
      return make_timed_output(primitive, type, offset, input);
    case Primitive::kMoments:
      return make_moments_output(aggregate.function, type, offset);
    default:
      return make_growing_output(aggregate, primitive, type, offset);
  }
}

std::uint32_t AggregateLayout::never_null(const Batch& batch, std::size_t first_value) const {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < value_columns_; ++i) {
    if (!batch.column(first_value + i).has_nulls()) bits |= 1U << i;
  }
  return bits;
}

void AggregateLayout::update(std::byte* const* entries, const Batch& batch, std::size_t first_value,
                             std::size_t begin, std::size_t n) const {
  for (const BoundKernel& bound : kernels_) {
    const Column* values = bound.input == AggregateSpec::kRows
                               ? nullptr
                               : &batch.column(first_value + static_cast<std::size_t>(bound.input));
    bound.kernel->update(entries, values, batch.times(), begin, n);
  }
  for (std::size_t i = 0; i < value_columns_; ++i) {
    const Column& values = batch.column(first_value + i);
    if (!values.has_nulls()) continue;
    for (std::size_t row = 0; row < n; ++row) {
      if (!values.is_null(begin + row)) entry_header(entries[row]).valid |= 1U << i;
    }
  }
}

void AggregateLayout::merge(std::byte* const* into, const std::byte* from, std::size_t n) const {
  merge_undone(into, from, n);
  merge_part(into, 0, from, n);
}

void AggregateLayout::merge_undone(std::byte* const* rows, const std::byte* from,
                                   std::size_t n) const {
  for (std::size_t i = 0; i < n; ++i) {
    entry_header(rows[i]).valid |= entry_header(from + i * entry_size_).valid;
  }
  for (const BoundKernel& bound : undone_kernels()) {
    bound.kernel->merge(rows, 0, from, entry_size_, n);
  }
}

void AggregateLayout::subtract_undone(std::byte* const* rows, const std::byte* from,
                                      std::size_t n) const {
  for (const BoundKernel& bound : undone_kernels()) {
    bound.kernel->subtract(rows, from, entry_size_, n);
  }
}

void AggregateLayout::merge_part(std::byte* const* rows, std::size_t part, const std::byte* from,
                                 std::size_t n) const {
  for (const BoundKernel& bound : other_kernels()) {
    bound.kernel->merge(rows, part * other_size(), from, entry_size_, n);
  }
}

void AggregateLayout::fold_part(std::byte* const* rows, std::size_t part, std::byte* from,
                                std::size_t n) const {
  for (const BoundKernel& bound : other_kernels()) {
    bound.kernel->fold(rows, part * other_size(), from, entry_size_, n);
  }
}

void AggregateLayout::restore_part(std::byte* const* rows, std::size_t part, const std::byte* from,
                                   std::size_t n) const {
  const std::size_t size = other_size();
  const std::size_t shift = part * size;
  const std::size_t at = undone_size_;
  if (trivial_) {
    for (std::size_t i = 0; i < n; ++i) {
      copy_entry(rows[i] + shift + at, from + i * entry_size_ + at, size);
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::byte* const to = rows[i] + shift;
    release_handles(to, 1);
    std::memcpy(to + at, from + i * entry_size_ + at, size);
    retain_handles(to, 1);
  }
}

void AggregateLayout::subtract(std::byte* const* into, const std::byte* from, std::size_t n) const {
  for (const BoundKernel& bound : kernels_) bound.kernel->subtract(into, from, entry_size_, n);
}

bool AggregateLayout::worn(const std::byte* entry) const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [entry](const BoundKernel& bound) { return bound.kernel->worn(entry); });
}

void AggregateLayout::retain_handles(std::byte* entries, std::size_t n) const {
  for (const BoundKernel& bound : kernels_) {
    if (!bound.kernel->trivial()) bound.kernel->retain(entries, entry_size_, n);
  }
}

void AggregateLayout::release_handles(std::byte* entries, std::size_t n) const {
  for (const BoundKernel& bound : kernels_) {
    if (!bound.kernel->trivial()) bound.kernel->release(entries, entry_size_, n);
  }
}

void AggregateLayout::lower(const std::byte* const* a, const std::byte* const* b, std::size_t n,
                            Batch& out, std::size_t first_column, std::size_t at,
                            std::vector<CellOverflow>& overflows) const {
  std::uint32_t all_valid = ~std::uint32_t{0};
  for (std::size_t i = 0; i < n; ++i) all_valid &= row_valid(a, i);
  const ResultRows rows{a, b, n, all_valid};
  std::vector<std::size_t> overflown;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    overflown.clear();
    outputs_[i]->lower(rows, out.column(first_column + i), at, overflown);
    for (const std::size_t row : overflown) overflows.push_back({row, i});
  }
}

}  // namespace tidemark
