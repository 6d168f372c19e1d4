#include "tidemark/operators/typed_result.h"

#include <array>
#include <string_view>

namespace tidemark {

namespace {

template <typename Enum, std::size_t kCount>
Enum named(std::string_view name, const std::array<Enum, kCount>& values) {
  for (const Enum value : values) {
    if (to_string(value) == name) return value;
  }
  return values.front();
}

}  // namespace

PaneInfo pane_at(const Batch& results, std::size_t row, std::size_t first) {
  if (first >= results.column_count()) return {};
  return {named(results.column(first).string(row),
                std::array{PaneTiming::kOnTime, PaneTiming::kEarly, PaneTiming::kLate}),
          named(results.column(first + 2).string(row),
                std::array{ChangeKind::kInsert, ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter,
                           ChangeKind::kDelete}),
          static_cast<std::uint32_t>(results.column(first + 1).int64s()[row])};
}

}  // namespace tidemark
