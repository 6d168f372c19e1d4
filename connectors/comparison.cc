#include "tidemark/connectors/comparison.h"

namespace tidemark {

bool holds(CompareOp op, std::partial_ordering order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == std::partial_ordering::equivalent;
    case CompareOp::kNotEqual:
      return order != std::partial_ordering::equivalent;
    case CompareOp::kLess:
      return order == std::partial_ordering::less;
    case CompareOp::kLessOrEqual:
      return order == std::partial_ordering::less || order == std::partial_ordering::equivalent;
    case CompareOp::kGreater:
      return order == std::partial_ordering::greater;
    case CompareOp::kGreaterOrEqual:
      return order == std::partial_ordering::greater || order == std::partial_ordering::equivalent;
  }
  return false;
}

}  // namespace tidemark
