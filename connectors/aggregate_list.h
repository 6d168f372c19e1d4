// Aggregates as people write them: `count, sum(amount) as total, max(amount) where country = DE`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/connectors/file_options.h"
#include "tidemark/operators/aggregate_spec.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// `where COL OP VALUE`: the aggregate sees only rows whose column compares so.
struct AggregateCondition {
  std::string column;
  CompareOp op = CompareOp::kEqual;
  std::string value;
  // The value stood in quotes, so it is text even if it looks like a number.
  bool value_is_text = false;
  // Where it stands in the list, from 1.
  std::size_t position = 0;
};

struct AggregateRequest {
  AggregateFunction function = AggregateFunction::kCount;
  // The input column; nothing for count of rows.
  std::optional<std::string> column;
  double parameter = 0;  // of quantile, approx_quantile and top_k
  // As given, or the aggregate as written: `count`, `sum(amount)`.
  std::string name;
  std::optional<AggregateCondition> condition;
  // Where it stands in the list, from 1.
  std::size_t position = 0;
};

// Aggregates separated by commas: `count`, `count(*)`, or one of the functions that
// to_string(AggregateFunction) names with a column: `sum(x)`, `quantile(x, 0.99)`; each with an
// optional `as NAME` and `where COL OP VALUE` (OP: = <> != < <= > >=), in either order. Functions
// and words in any case. Columns, names and values with other characters than letters, digits, `_`,
// `.`, `-` and `/` stand in double quotes (values also in single quotes). Errors name the position
// in `text`, from 1. Refuses two results with one name.
Expected<std::vector<AggregateRequest>> parse_aggregate_list(std::string_view text);

}  // namespace tidemark
