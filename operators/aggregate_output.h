// Result columns from primitive states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tidemark/operators/aggregate_kernel.h"
#include "tidemark/operators/aggregate_layout.h"

namespace tidemark {

// `offset` is the place of a state in the entry, `input` the value column whose valid bit says
// whether the result is NULL.
std::unique_ptr<AggregateOutput> make_count_output(std::size_t offset);
std::unique_ptr<AggregateOutput> make_integer_sum_output(std::size_t offset, int input);
std::unique_ptr<AggregateOutput> make_double_sum_output(std::size_t offset, int input,
                                                        bool compensated);
std::unique_ptr<AggregateOutput> make_extremum_output(Primitive primitive, ColumnType type,
                                                      std::size_t offset, int input);
std::unique_ptr<AggregateOutput> make_average_output(Primitive sum, ColumnType type,
                                                     std::size_t sum_offset,
                                                     std::size_t count_offset, int input);
std::unique_ptr<AggregateOutput> make_moments_output(AggregateFunction function, ColumnType type,
                                                     std::size_t offset);
std::unique_ptr<AggregateOutput> make_timed_output(Primitive primitive, ColumnType type,
                                                   std::size_t offset, int input);

// Of states that are handles; `primitive` says which. `type` is the input's.
std::unique_ptr<AggregateOutput> make_growing_output(const AggregateSpec& aggregate,
                                                     Primitive primitive, ColumnType type,
                                                     std::size_t offset);

}  // namespace tidemark
