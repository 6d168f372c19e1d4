#include "tidemark/operators/aggregate_layout.h"

#include "tidemark/operators/aggregate_output.h"

namespace tidemark {

AggregateLayout::AggregateLayout(const Schema& values, const std::vector<AggregateSpec>& aggregates,
                                 bool undoable)
    : value_columns_(values.size()) {
  for (const AggregateSpec& aggregate : aggregates) {
    const ColumnType input = aggregate.input == AggregateSpec::kRows
                                 ? ColumnType::kInt64
                                 : values[static_cast<std::size_t>(aggregate.input)].type;
    result_columns_.push_back({aggregate.name, result_type(aggregate.function, input)});
    outputs_.push_back(make_output(aggregate, values, undoable));
  }
  initial_.resize(entry_size_);
  entry_header(initial_.data()) = {0, 0};
  for (const BoundKernel& bound : kernels_) bound.kernel->init(initial_.data());
}

std::size_t AggregateLayout::place(Primitive primitive, int input, const Schema& values) {
  for (const BoundKernel& bound : kernels_) {
    if (bound.primitive == primitive && bound.input == input) return bound.offset;
  }
  const ColumnType type = input == AggregateSpec::kRows
                              ? ColumnType::kInt64
                              : values[static_cast<std::size_t>(input)].type;
  const std::size_t offset = entry_size_;
  kernels_.push_back({primitive, input, offset, make_primitive_kernel(primitive, type, offset)});
  const PrimitiveKernel& kernel = *kernels_.back().kernel;
  entry_size_ += kernel.state_size();
  exactly_invertible_ &= kernel.invertible() && primitive != Primitive::kCompensatedSum;
  return offset;
}

std::unique_ptr<AggregateOutput> AggregateLayout::make_output(const AggregateSpec& aggregate,
                                                              const Schema& values, bool undoable) {
  const int input = aggregate.input;
  if (aggregate.function == AggregateFunction::kCount) {
    const Primitive primitive =
        input == AggregateSpec::kRows ? Primitive::kCountRows : Primitive::kCountValues;
    return make_count_output(place(primitive, input, values));
  }
  const ColumnType type = values[static_cast<std::size_t>(input)].type;
  const bool compensated = undoable && type == ColumnType::kDouble;
  const Primitive sum = compensated ? Primitive::kCompensatedSum : Primitive::kSum;
  switch (aggregate.function) {
    case AggregateFunction::kMin:
    case AggregateFunction::kMax: {
      const Primitive primitive =
          aggregate.function == AggregateFunction::kMin ? Primitive::kMin : Primitive::kMax;
      return make_extremum_output(primitive, type, place(primitive, input, values), input);
    }
    case AggregateFunction::kAvg: {
      const std::size_t sum_offset = place(sum, input, values);
      const std::size_t count_offset = place(Primitive::kCountValues, input, values);
      return make_average_output(sum, type, sum_offset, count_offset, input);
    }
    default: {
      const std::size_t offset = place(sum, input, values);
      return type == ColumnType::kInt64 ? make_integer_sum_output(offset, input)
                                        : make_double_sum_output(offset, input, compensated);
    }
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
    bound.kernel->update(entries, values, begin, n);
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
  for (std::size_t i = 0; i < n; ++i) {
    entry_header(into[i]).valid |= entry_header(from + i * entry_size_).valid;
  }
  for (const BoundKernel& bound : kernels_) bound.kernel->merge(into, from, entry_size_, n);
}

void AggregateLayout::fold(std::byte* const* into, std::byte* from, std::size_t n) const {
  for (std::size_t i = 0; i < n; ++i) {
    EntryHeader& running = entry_header(into[i]);
    EntryHeader& entry = entry_header(from + i * entry_size_);
    const std::uint32_t before = running.valid;
    running.valid |= entry.valid;
    entry.valid = before;
  }
  for (const BoundKernel& bound : kernels_) bound.kernel->fold(into, from, entry_size_, n);
}

void AggregateLayout::subtract(std::byte* const* into, const std::byte* from, std::size_t n) const {
  for (const BoundKernel& bound : kernels_) bound.kernel->subtract(into, from, entry_size_, n);
}

void AggregateLayout::lower(const std::byte* const* a, const std::byte* const* b, std::size_t n,
                            Batch& out, std::size_t first_column, std::size_t at,
                            std::vector<CellOverflow>& overflows) const {
  std::uint32_t all_valid = ~std::uint32_t{0};
  for (std::size_t i = 0; i < n; ++i) all_valid &= row_valid(a, b, i);
  const ResultRows rows{a, b, n, all_valid};
  std::vector<std::size_t> overflown;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    overflown.clear();
    outputs_[i]->lower(rows, out.column(first_column + i), at, overflown);
    for (const std::size_t row : overflown) overflows.push_back({row, i});
  }
}

}  // namespace tidemark
