#include "tidemark/operators/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/session_windows.h"
#include "tidemark/operators/shared_windows.h"
#include "tidemark/operators/slice_edges.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// The mean length of a calendar month, ms; units are told apart no further here.
constexpr double kMonth = 30.4 * 86'400'000;

bool overlap(const WindowSpec& window) { return window.size > window.slide; }

// Windows that could share one set of slices.
std::vector<Slicing> shareable_windows(const WindowQuery& query) {
  std::vector<Slicing> slicings;
  if (!can_share_one_set_of_slices(query)) return slicings;
  for (const WindowSpec& window : query.windows) {
    if (!query.leaves_shared_path(window)) slicings.emplace_back(window);
  }
  return slicings;
}

// From so many windows on, one update per row and log2(slices) merges per result are less than an
// update per row and window.
constexpr std::size_t kManyWindows = 8;

Strategy choose(const WindowQuery& query, const WindowSpec& window, std::size_t shareable,
                std::string& reason) {
  if (query.strategy != Strategy::kAuto) {
    reason = "asked for";
    return query.strategy;
  }
  if (shareable >= kManyWindows) {
    reason = fmt::format("a row updates one slice for all {} windows", shareable);
    return Strategy::kBaseIntervals;
  }
  if (!overlap(window)) {
    reason = "windows do not overlap, so there is nothing to share";
    return Strategy::kBuckets;
  }
  if (window.kind == WindowKind::kCumulate) {
    reason = "the slices of a period leave together, so one stack that grows is enough";
    return Strategy::kTwoStacks;
  }
  if (AggregateLayout(query.values, query.aggregates, false).exactly_invertible()) {
    reason = "every aggregate can be undone exactly";
    return Strategy::kSubtract;
  }
  reason = "not every aggregate can be undone exactly";
  return Strategy::kTwoStacks;
}

// How many windows hold a row, in the mean.
double windows_per_row(const WindowSpec& window) {
  if (window.slide == 0) return 1;
  const double windows = static_cast<double>(window.size) / static_cast<double>(window.slide);
  return window.kind == WindowKind::kCumulate ? (windows + 1) / 2 : windows;
}

void predict(WindowPlan& plan) {
  const bool grows = plan.window.kind == WindowKind::kCumulate;
  switch (plan.strategy) {
    case Strategy::kBuckets:
      plan.updates_per_row = std::max(1.0, windows_per_row(plan.window));
      plan.merges_per_entry = 0;
      break;
    case Strategy::kRecompute:
      plan.merges_per_entry = grows ? windows_per_row(plan.window)
                                    : static_cast<double>(plan.slices_per_window) /
                                          static_cast<double>(plan.slices_per_slide);
      break;
    case Strategy::kSubtract:
      plan.merges_per_entry = 2;
      break;
    case Strategy::kBaseIntervals:
      plan.merges_per_result = std::ceil(
          std::log2(static_cast<double>(std::max<std::int64_t>(plan.slices_per_window, 2))));
      break;
    case Strategy::kTwoStacks:
    case Strategy::kAuto:
      plan.merges_per_entry = grows ? 1 : 3;
      break;
  }
}

}  // namespace

std::vector<WindowPlan> plan_query(const WindowQuery& query) {
  std::vector<WindowPlan> plans;
  const std::vector<Slicing> shareable = shareable_windows(query);
  const double edges_per_ms = SliceEdges(shareable).edges_per_ms();
  for (const WindowSpec& window : query.windows) {
    WindowPlan plan;
    plan.window = window;
    plan.zone = query.zone;
    plan.lateness = query.lateness;
    if (const auto why = query.leaves_shared_path(window)) {
      plan.leaves_shared_path = true;
      plan.keeps_sessions_by_key = SessionWindows::can_hold(query, window);
      plan.reason = *why;
      plan.state_bytes = AggregateLayout(query.values, query.aggregates, false).state_size();
      plan.updates_per_row = std::max(1.0, windows_per_row(window));
      plans.push_back(std::move(plan));
      continue;
    }
    plan.strategy = choose(query, window, shareable.size(), plan.reason);
    const Slicing slicing(window);
    plan.slices_per_slide = slicing.slices_per_slide();
    plan.slices_per_window = slicing.slices_per_window();
    if (plan.strategy == Strategy::kBaseIntervals) {
      plan.shared_by = shareable.size();
      const double length = window.unit == CalendarUnit::kNone
                                ? static_cast<double>(window.size)
                                : kMonth * static_cast<double>(window.size);
      plan.slices_per_window = std::llround(std::max(1.0, edges_per_ms * length));
      plan.slices_per_slide =
          std::llround(std::max(1.0, edges_per_ms * length * static_cast<double>(window.slide) /
                                         static_cast<double>(window.size)));
    }
    const bool undoable = plan.strategy == Strategy::kSubtract;
    plan.state_bytes = AggregateLayout(query.values, query.aggregates, undoable).state_size();
    predict(plan);
    plans.push_back(std::move(plan));
  }
  return plans;
}

namespace {

std::string sessions_text(const WindowPlan& plan) {
  return fmt::format(
      "window: {}\n"
      "  strategy: open sessions by key, merged in place ({})\n"
      "  slices: none\n"
      "  entry: {} bytes of state, 8 of header and {} of bounds per key\n"
      "  predicted: {:.4g} updates per row\n",
      to_string(plan.window), plan.reason, plan.state_bytes, sizeof(SessionRecord),
      plan.updates_per_row);
}

std::string general_path_text(const WindowPlan& plan) {
  return fmt::format(
      "window: {}\n"
      "  strategy: {}, one state and one trigger per key and window ({})\n"
      "  slices: none\n"
      "  entry: {} bytes of state and 8 of header per key and window\n"
      "  predicted: {:.4g} updates per row\n",
      to_string(plan.window), to_string(plan.strategy), plan.reason, plan.state_bytes,
      plan.updates_per_row);
}

}  // namespace

std::string to_string(const WindowPlan& plan) {
  if (plan.keeps_sessions_by_key) return sessions_text(plan);
  if (plan.leaves_shared_path) return general_path_text(plan);
  const bool shares = plan.strategy != Strategy::kBuckets;
  std::string text = fmt::format("window: {}\n", to_string(plan.window));
  if (!plan.zone.empty()) {
    text += fmt::format("  zone: {}; windows follow its wall clock\n", plan.zone);
  }
  if (plan.window.slide > plan.window.size) {
    text += fmt::format("  gaps: {} of every {} belong to no window\n",
                        format_duration(plan.window.slide - plan.window.size),
                        format_duration(plan.window.slide));
  }
  text += fmt::format("  strategy: {} ({})\n", to_string(plan.strategy), plan.reason);
  if (shares) {
    const bool grows = plan.window.kind == WindowKind::kCumulate;
    text += fmt::format("  slices: {} per {}, {}{} per window{}\n", plan.slices_per_slide,
                        grows ? "step" : "slide", grows ? "up to " : "", plan.slices_per_window,
                        plan.shared_by > 1 ? ", shared by all windows of the query" : "");
  } else {
    text += "  slices: none, one state per window\n";
  }
  if (plan.lateness > 0) {
    text +=
        fmt::format("  lateness: {} kept for {} more, late rows fire theirs again\n",
                    shares ? "sealed slices are" : "windows are", format_duration(plan.lateness));
  }
  text += fmt::format("  entry: {} bytes of state and 8 of header per key and {}\n",
                      plan.state_bytes, shares ? "slice" : "window");
  if (plan.strategy == Strategy::kBaseIntervals) {
    text += fmt::format("  predicted: {:.4g} updates per row, about {:.4g} merges per result\n",
                        plan.updates_per_row, plan.merges_per_result);
    return text;
  }
  text += fmt::format("  predicted: {:.4g} updates per row, {:.4g} merges per slice entry\n",
                      plan.updates_per_row, plan.merges_per_entry);
  return text;
}

}  // namespace tidemark
