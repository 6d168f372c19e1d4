#include "tidemark/operators/window_operator.h"

#include <algorithm>
#include <array>

#include "tidemark/operators/bucket_windows.h"
#include "tidemark/operators/sliced_windows.h"

namespace tidemark {

WindowOperator::WindowOperator(const WindowQuery& query, const std::vector<WindowPlan>& plans,
                               ResultOutput& output)
    : query_(query),
      keys_(query.keys, key_memory_),
      emitter_(keys_, query, output),
      plain_layout_(std::make_unique<AggregateLayout>(query.values, query.aggregates, false)),
      slots_(RowChunk::kRows) {
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    const WindowPlan& plan = plans[i];
    const bool undoable = plan.strategy == Strategy::kSubtract;
    if (undoable && !undoable_layout_) {
      undoable_layout_ = std::make_unique<AggregateLayout>(query.values, query.aggregates, true);
    }
    const AggregateLayout& layout = undoable ? *undoable_layout_ : *plain_layout_;
    if (plan.strategy == Strategy::kBuckets) {
      windows_.push_back(std::make_unique<BucketWindows>(plan.window, i, layout, window_memory_));
    } else {
      windows_.push_back(std::make_unique<SlicedWindows>(
          plan.window, i, layout,
          make_pane_sharing(plan.strategy, plan.window, layout, window_memory_), window_memory_));
    }
  }
}

void WindowOperator::add(const Batch& rows, std::vector<std::uint16_t>& late_rows) {
  const std::size_t first_value = query_.keys.size();
  const std::uint32_t never_null = plain_layout_->never_null(rows, first_value);
  for (std::size_t begin = 0; begin < rows.size(); begin += RowChunk::kRows) {
    const std::size_t n = std::min(RowChunk::kRows, rows.size() - begin);
    keys_.find_or_insert(rows, begin, {slots_.data(), n});
    add_chunk({rows, first_value, begin, {slots_.data(), n}, keys_.size(), never_null, ++chunks_},
              late_rows);
  }
}

void WindowOperator::add_chunk(const RowChunk& rows, std::vector<std::uint16_t>& late_rows) {
  std::array<std::uint8_t, RowChunk::kRows> outcomes{};
  for (const auto& windows : windows_) windows->add(rows, outcomes.data());

  std::size_t accepted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    accepted += static_cast<std::size_t>((outcomes[i] & kAccepted) != 0);
  }
  on_time_ += accepted;
  if (accepted == rows.size()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (outcomes[i] == kInNoWindow) ++in_no_window_;
    if (outcomes[i] != kHadWindow) continue;
    ++late_;
    late_rows.push_back(static_cast<std::uint16_t>(rows.begin + i));
  }
}

void WindowOperator::advance(EventTime watermark) {
  if (watermark <= watermark_) return;
  watermark_ = watermark;
  for (const auto& windows : windows_) windows->advance(watermark);
  firing_ = 0;
}

bool WindowOperator::fire() {
  for (; firing_ < windows_.size(); ++firing_) {
    if (!windows_[firing_]->fire(emitter_)) return false;
  }
  return true;
}

std::size_t WindowOperator::open_windows() const {
  std::size_t open = 0;
  for (const auto& windows : windows_) open += windows->open_windows();
  return open;
}

void WindowOperator::report(RunReport& report) const {
  report.rows_on_time += on_time_;
  report.rows_late += late_;
  report.rows_in_no_window += in_no_window_;
  report.results += emitter_.results();
  report.overflows.add(emitter_.overflows());
  report.open_windows_dropped += open_windows();
  StateCounters& state = report.state;
  for (const auto& windows : windows_) {
    const WindowStateCounters& counters = windows->counters();
    state.updates += counters.updates;
    state.merges += counters.merges;
    state.windows_fired += counters.windows_fired;
    state.peak_live_entries += counters.peak_live_entries;
    state.live_entries += windows->live_entries();
  }
  state.keys += keys_.size();
  state.peak_key_table_bytes += key_memory_.peak_bytes();
  state.peak_state_bytes += key_memory_.peak_bytes() + window_memory_.peak_bytes();
}

}  // namespace tidemark
