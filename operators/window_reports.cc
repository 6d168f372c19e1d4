#include "tidemark/operators/window_reports.h"

#include <utility>
#include <vector>

namespace tidemark {

WindowReports::WindowReports(const WindowQuery& query, std::uint32_t specification,
                             const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : query_(query), layout_(layout), output_(specification, layout, memory), comparison_(layout) {}

void WindowReports::report(KeyWindow& window, PaneTiming timing) {
  HeldEntry* const reported =
      window.firing != nullptr && query_.accumulation != Accumulation::kDiscarding
          ? &window.firing->reported
          : nullptr;
  const bool again = reported != nullptr && !reported->empty();
  if (again && !query_.repeat_unchanged &&
      comparison_.says_the_same(reported->data(), window.content))
    return;
  if (query_.accumulation == Accumulation::kRetracting) take_back(window, timing);
  say(window, window.content, timing, again ? ChangeKind::kUpdateAfter : ChangeKind::kInsert);
  ++window.firings;
  if (reported != nullptr) reported->assign(layout_, window.content);
}

void WindowReports::say_once(EventTime start, EventTime end, const std::byte* content) {
  output_.add(start, end, content, {PaneTiming::kOnTime, ChangeKind::kInsert, 0});
}

void WindowReports::withdraw(KeyWindow& window) {
  if (window.firing == nullptr || window.firing->reported.empty()) return;
  FiringState& firing = *window.firing;
  if (query_.accumulation == Accumulation::kRetracting) {
    firing.taken_back.push_back({window.start, window.end, std::move(firing.reported)});
  }
  firing.reported.clear();
}

void WindowReports::take_back(KeyWindow& window, PaneTiming timing) {
  if (window.firing == nullptr) return;
  FiringState& firing = *window.firing;
  for (const TakenBack& said : firing.taken_back) {
    output_.add(said.start, said.end, said.content.data(),
                {timing, ChangeKind::kDelete, window.firings});
  }
  firing.taken_back.clear();
  if (!firing.reported.empty()) {
    say(window, firing.reported.data(), timing, ChangeKind::kUpdateBefore);
  }
}

void WindowReports::say(const KeyWindow& window, const std::byte* content, PaneTiming timing,
                        ChangeKind change) {
  output_.add(window.start, window.end, content, {timing, change, window.firings});
}

}  // namespace tidemark
