#include "tidemark/operators/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/base_interval_cost.h"
#include "tidemark/operators/growing_cost.h"
#include "tidemark/operators/keyed_window_cost.h"
#include "tidemark/operators/session_windows.h"
#include "tidemark/operators/shared_windows.h"
#include "tidemark/operators/slice_edges.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// The mean length of a calendar month, ms; units are told apart no further here.
constexpr double kMonth = 30.4 * 86'400'000;

// Windows that could share one set of slices.
std::vector<WindowSpec> shareable_windows(const WindowQuery& query) {
  std::vector<WindowSpec> windows;
  if (!can_share_one_set_of_slices(query)) return windows;
  for (const WindowSpec& window : query.windows) {
    if (!query.leaves_shared_path(window)) windows.push_back(window);
  }
  return windows;
}

// Where nothing is known of the stream: from so many windows on, one update per row and
// log2(slices) merges per result are taken to be less than an update per row and window.
constexpr std::size_t kManyWindows = 8;

// Updates and merges per second of event time.
double work_per_second(const StreamCost& cost, double updates_per_row, double rows_per_second) {
  const double slides_per_second = rows_per_second / cost.rows_per_slide;
  return updates_per_row * rows_per_second + cost.merges_per_slide * slides_per_second;
}

// What is told and decided for all windows of a query together.
class SharedSlices {
 public:
  SharedSlices(const WindowQuery& query, const std::optional<StreamShape>& stream,
               Predictions predictions)
      : windows_(shareable_windows(query)),
        invertible_(AggregateLayout(query.values, query.aggregates, false).exactly_invertible()),
        states_grow_(!AggregateLayout(query.values, query.aggregates, false).trivial()) {
    const std::vector<Slicing> slicings(windows_.begin(), windows_.end());
    edges_per_ms_ = SliceEdges(slicings).edges_per_ms();
    const bool is_open = query.strategy == Strategy::kAuto && windows_.size() > 1;
    const bool is_told =
        query.strategy == Strategy::kBaseIntervals && predictions == Predictions::kAll;
    if (!is_told && !is_open) return;
    const StateSize state = state_size(AggregateLayout(query.values, query.aggregates, false));
    if (stream)
      costs_ =
          base_interval_costs(windows_, merges_in_any_grouping(query), state, *stream, query.delay);
    if (!is_open) return;
    pays_ = costs_.empty() ? windows_.size() >= kManyWindows : cost_less(state, *stream);
  }

  // Whether one set of slices for all of them is the better choice.
  bool pays() const { return pays_; }
  std::size_t size() const { return windows_.size(); }
  double edges_per_ms() const { return edges_per_ms_; }
  bool invertible() const { return invertible_; }
  bool states_grow() const { return states_grow_; }
  // One after the other; null where it is not known.
  const StreamCost* next_cost() { return next_ < costs_.size() ? &costs_[next_++] : nullptr; }

 private:
  bool cost_less(const StateSize& state, const StreamShape& stream) const {
    double together = stream.rows_per_second;
    double apart = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      together += work_per_second(costs_[i], 0, stream.rows_per_second);
      const Strategy strategy = choose_strategy(windows_[i], invertible_, stream).strategy;
      apart +=
          work_per_second(stream_cost(windows_[i], strategy, state, stream),
                          unit_cost(windows_[i], strategy).updates_per_row, stream.rows_per_second);
    }
    return together < apart;
  }

  std::vector<WindowSpec> windows_;
  bool invertible_;
  bool states_grow_;
  double edges_per_ms_ = 0;
  std::vector<StreamCost> costs_;
  std::size_t next_ = 0;
  bool pays_ = false;
};

struct Choice {
  Strategy strategy;
  std::string reason;
};

Choice choose(const WindowQuery& query, const WindowSpec& window, const SharedSlices& shared,
              const std::optional<StreamShape>& stream) {
  if (query.strategy != Strategy::kAuto) return {query.strategy, "asked for"};
  if (shared.pays()) {
    return {Strategy::kBaseIntervals,
            fmt::format("a row updates one slice for all {} windows", shared.size())};
  }
  const StrategyChoice choice = choose_strategy(window, shared.invertible(), stream);
  return {choice.strategy, choice.reason};
}

// Slices are those of all windows together.
void share_slices(WindowPlan& plan, std::size_t shareable, double edges_per_ms) {
  const WindowSpec& window = plan.window;
  plan.shared_by = shareable;
  const double length = window.unit == CalendarUnit::kNone
                            ? static_cast<double>(window.size)
                            : kMonth * static_cast<double>(window.size);
  plan.slices_per_window = std::llround(std::max(1.0, edges_per_ms * length));
  plan.slices_per_slide =
      std::llround(std::max(1.0, edges_per_ms * length * static_cast<double>(window.slide) /
                                     static_cast<double>(window.size)));
  plan.merges_per_result =
      std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(plan.slices_per_window, 2))));
}

}  // namespace

std::vector<WindowPlan> plan_query(const WindowQuery& query,
                                   const std::optional<StreamShape>& stream,
                                   Predictions predictions) {
  std::vector<WindowPlan> plans;
  SharedSlices shared(query, stream, predictions);
  for (const WindowSpec& window : query.windows) {
    WindowPlan plan;
    plan.window = window;
    plan.zone = query.zone;
    plan.lateness = query.lateness;
    plan.states_grow = shared.states_grow();
    if (const auto why = query.leaves_shared_path(window)) {
      plan.leaves_shared_path = true;
      plan.keeps_sessions_by_key = SessionWindows::can_hold(query, window);
      plan.reason = *why;
      plan.state_size = state_size(AggregateLayout(query.values, query.aggregates, false));
      plan.cost = unit_cost(window, Strategy::kBuckets);
      if (!has_slices(window.kind)) plan.cost.updates_per_row = 1;
      if (stream) {
        plan.stream = stream;
        const KeyedWindowCost known = keyed_window_cost(query, window, plan.state_size, *stream);
        plan.stream_cost = known.cost;
        plan.not_predicted = known.not_predicted;
      }
      plans.push_back(std::move(plan));
      continue;
    }
    const Choice choice = choose(query, window, shared, stream);
    plan.strategy = choice.strategy;
    plan.reason = choice.reason;
    const Slicing slicing(window);
    plan.slices_per_slide = slicing.slices_per_slide();
    plan.slices_per_window = slicing.slices_per_window();
    const bool shares_all = plan.strategy == Strategy::kBaseIntervals;
    if (shares_all) share_slices(plan, shared.size(), shared.edges_per_ms());
    const bool undoable = plan.strategy == Strategy::kSubtract;
    const AggregateLayout layout(query.values, query.aggregates, undoable);
    plan.state_size = state_size(layout);
    plan.cost = unit_cost(window, plan.strategy);
    if (stream) plan.stream = stream;
    if (shares_all) {
      if (const StreamCost* cost = shared.next_cost()) plan.stream_cost = *cost;
    } else if (stream) {
      plan.stream_cost = stream_cost(window, plan.strategy, plan.state_size, *stream,
                                     {query.delay, query.lateness});
      if (plan.states_grow) {
        const GrowingCost grown = growing_cost(query, window, plan.strategy, *stream);
        plan.stream_cost->grown_bytes = grown.bytes;
        plan.not_predicted = grown.not_predicted;
      }
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

namespace {

std::string unit_cost_text(const WindowPlan& plan) {
  std::string text =
      fmt::format("  predicted: {:.4g} updates per row, {:.4g} merges per slice entry",
                  plan.cost.updates_per_row, plan.cost.merges_per_entry);
  if (plan.cost.flips_at_worst > 0) text += "; a firing that flips merges all live entries";
  return text + "\n";
}

// Four digits, with the letters that counts have on the command line.
std::string count_text(double count) {
  if (count >= 1e9) return fmt::format("{:.4g}G", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.4g}M", count / 1e6);
  if (count >= 1e4) return fmt::format("{:.4g}k", count / 1e3);
  return fmt::format("{:.4g}", count);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3g} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.3g} kB", bytes / 1e3);
  return fmt::format("{:.3g} bytes", bytes);
}

std::string stream_text(const StreamShape& stream) {
  const std::string head =
      fmt::format("{} keys, {} rows per second", count_text(static_cast<double>(stream.keys)),
                  count_text(stream.rows_per_second));
  switch (stream.spread) {
    case KeySpread::kZipf:
      return fmt::format("{}, zipf:{:g}", head, stream.parameter);
    case KeySpread::kHot:
      return fmt::format("{}, hot:{:g}", head, stream.parameter);
    case KeySpread::kUniform:
      break;
  }
  return head + ", uniform";
}

std::string not_predicted_text(const WindowPlan& plan) {
  if (plan.not_predicted.empty()) return "";
  return fmt::format("  not predicted: {}\n", plan.not_predicted);
}

std::string stream_cost_text(const WindowPlan& plan) {
  if (!plan.stream_cost) return "";
  const StreamCost& cost = *plan.stream_cost;
  return fmt::format(
             "  stream: {}\n"
             "  predicted per slide: {} rows, {} entries, {} merges ({} at worst), {} results\n",
             stream_text(*plan.stream), count_text(cost.rows_per_slide),
             count_text(cost.entries_per_slide), count_text(cost.merges_per_slide),
             count_text(cost.worst_merges), count_text(cost.results_per_slide)) +
         fmt::format(
             "  predicted state{}: {} live entries; {} of entries, {} of running state, {} "
             "of index{}\n",
             plan.shared_by > 1 ? " of all windows" : "", count_text(cost.live_entries),
             bytes_text(cost.entry_bytes), bytes_text(cost.running_bytes),
             bytes_text(cost.index_bytes),
             cost.grown_bytes > 0
                 ? fmt::format("; {} of values in states that grow", bytes_text(cost.grown_bytes))
                 : "") +
         not_predicted_text(plan);
}

// Of windows that end key by key.
std::string keyed_cost_text(const WindowPlan& plan) {
  if (!plan.stream_cost) return "";
  const StreamCost& cost = *plan.stream_cost;
  std::string text = fmt::format("  stream: {}\n", stream_text(*plan.stream));
  if (plan.window.gap_input != WindowSpec::kFixedGap) return text + not_predicted_text(plan);
  text += fmt::format("  predicted per {}: {} rows, {} merges, {} results{}\n",
                      has_slices(plan.window.kind) ? "slide" : "second",
                      count_text(cost.rows_per_slide), count_text(cost.merges_per_slide),
                      count_text(cost.results_per_slide),
                      plan.window.kind == WindowKind::kGlobal ? " before the end" : "");
  const bool keeps_all =
      plan.window.kind == WindowKind::kGlobal || plan.window.kind == WindowKind::kCount;
  text += fmt::format(
      "  predicted state: {} live entries{}; {} of entries, {} beside them, {} of index\n",
      count_text(cost.live_entries), keeps_all ? " once all keys have come" : "",
      bytes_text(cost.entry_bytes), bytes_text(cost.running_bytes), bytes_text(cost.index_bytes));
  return text + not_predicted_text(plan);
}

std::string sessions_text(const WindowPlan& plan) {
  return fmt::format(
             "window: {}\n"
             "  strategy: open sessions by key, merged in place ({})\n"
             "  slices: none\n"
             "  entry: {} bytes of state, 8 of header and {} of bounds per key\n"
             "  predicted: {:.4g} updates per row\n",
             to_string(plan.window), plan.reason, plan.state_size.all, sizeof(SessionRecord),
             plan.cost.updates_per_row) +
         keyed_cost_text(plan);
}

std::string general_path_text(const WindowPlan& plan) {
  return fmt::format(
             "window: {}\n"
             "  strategy: {}, one state and one trigger per key and window ({})\n"
             "  slices: none\n"
             "  entry: {} bytes of state and 8 of header per key and window\n"
             "  predicted: {:.4g} updates per row\n",
             to_string(plan.window), to_string(plan.strategy), plan.reason, plan.state_size.all,
             plan.cost.updates_per_row) +
         keyed_cost_text(plan);
}

}  // namespace

std::string to_string(const WindowPlan& plan) {
  // Without a stream, and of windows that end key by key.
  const bool is_known = plan.stream_cost && !plan.leaves_shared_path;
  const std::string grown =
      plan.states_grow && !is_known
          ? "  states grow with their values: what that takes is not predicted\n"
          : "";
  if (plan.keeps_sessions_by_key) return sessions_text(plan) + grown;
  if (plan.leaves_shared_path) return general_path_text(plan) + grown;
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
                      plan.state_size.all, shares ? "slice" : "window");
  if (plan.strategy == Strategy::kBaseIntervals) {
    text += fmt::format("  predicted: {:.4g} updates per row, about {:.4g} merges per result\n",
                        plan.cost.updates_per_row, plan.merges_per_result);
    return text + stream_cost_text(plan);
  }
  return text + unit_cost_text(plan) + stream_cost_text(plan) + grown;
}

}  // namespace tidemark
