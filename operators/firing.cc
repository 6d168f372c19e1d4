#include "tidemark/operators/firing.h"

namespace tidemark {

std::string_view to_string(Accumulation mode) {
  switch (mode) {
    case Accumulation::kAccumulating:
      return "accumulating";
    case Accumulation::kDiscarding:
      return "discarding";
    case Accumulation::kRetracting:
      return "retracting";
  }
  return "unknown";
}

std::string_view to_string(PaneTiming timing) {
  switch (timing) {
    case PaneTiming::kEarly:
      return "early";
    case PaneTiming::kOnTime:
      return "on_time";
    case PaneTiming::kLate:
      return "late";
  }
  return "unknown";
}

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kInsert:
      return "+I";
    case ChangeKind::kUpdateBefore:
      return "-U";
    case ChangeKind::kUpdateAfter:
      return "+U";
    case ChangeKind::kDelete:
      return "-D";
  }
  return "unknown";
}

}  // namespace tidemark
