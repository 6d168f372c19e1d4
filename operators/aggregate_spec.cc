#include "tidemark/operators/aggregate_spec.h"

namespace tidemark {

std::string_view to_string(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kAvg:
      return "avg";
  }
  return "unknown";
}

ColumnType result_type(AggregateFunction function, ColumnType input) {
  switch (function) {
    case AggregateFunction::kCount:
      return ColumnType::kInt64;
    case AggregateFunction::kAvg:
      return ColumnType::kDouble;
    case AggregateFunction::kSum:
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return input;
  }
  return input;
}

}  // namespace tidemark
