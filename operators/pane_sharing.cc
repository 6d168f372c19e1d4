#include "tidemark/operators/pane_sharing.h"

#include <stdexcept>

#include "tidemark/operators/growing_sharing.h"
#include "tidemark/operators/recompute_sharing.h"
#include "tidemark/operators/subtract_sharing.h"
#include "tidemark/operators/two_stacks_sharing.h"
#include "tidemark/operators/worst_case_sharing.h"

namespace tidemark {

std::unique_ptr<PaneSharing> make_pane_sharing(Strategy strategy, const WindowSpec& window,
                                               const AggregateLayout& layout,
                                               std::pmr::memory_resource& memory) {
  switch (strategy) {
    case Strategy::kRecompute:
      return std::make_unique<RecomputeSharing>(layout, memory);
    case Strategy::kSubtract:
      return std::make_unique<SubtractSharing>(layout, memory);
    case Strategy::kTwoStacks:
    case Strategy::kWorstCase:
      if (window.kind == WindowKind::kCumulate) {
        return std::make_unique<GrowingSharing>(layout, memory);
      }
      if (strategy == Strategy::kWorstCase && WorstCaseSharing::pays(window)) {
        return std::make_unique<WorstCaseSharing>(window, layout, memory);
      }
      return std::make_unique<TwoStacksSharing>(window, layout, memory);
    case Strategy::kAuto:
    case Strategy::kBuckets:
    case Strategy::kBaseIntervals:
      break;
  }
  throw std::invalid_argument("strategy " + std::string(to_string(strategy)) +
                              " does not share slices");
}

}  // namespace tidemark
