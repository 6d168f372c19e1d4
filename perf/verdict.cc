#include "tidemark/perf/verdict.h"

namespace tidemark {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kRegressed:
      return "regressed";
    case Verdict::kImproved:
      return "improved";
    case Verdict::kAdded:
      return "added";
    case Verdict::kMissing:
      return "missing";
    case Verdict::kInvalid:
      return "invalid";
  }
  return "invalid";
}

std::string to_string(OverallVerdict verdict) {
  switch (verdict) {
    case OverallVerdict::kSame:
      return "same";
    case OverallVerdict::kRegressed:
      return "regressed";
    case OverallVerdict::kImproved:
      return "improved";
    case OverallVerdict::kNotComparable:
      return "not_comparable";
  }
  return "not_comparable";
}

}  // namespace tidemark
