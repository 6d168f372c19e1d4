#include "tidemark/operators/live_run.h"

#include <algorithm>

namespace tidemark {

RowTotals& RowTotals::operator+=(const RowTotals& other) {
  read += other.read;
  bad += other.bad;
  on_time += other.on_time;
  late_in_source += other.late_in_source;
  late_after_idle += other.late_after_idle;
  in_no_window += other.in_no_window;
  results += other.results;
  return *this;
}

LiveRun::LiveRun(std::size_t sources, std::size_t stages, std::size_t workers,
                 std::size_t channel_batches)
    : sources_(sources),
      stages_(stages),
      channels_(sources * stages),
      workers_(workers),
      channel_batches_(channel_batches) {}

// Stages first: a row that a stage has counted was read before, so no outcome outruns the rows read
// by more than the reordering of a processor's stores.
RowTotals LiveRun::totals() const {
  RowTotals totals;
  for (const StageFigures& stage : stages_) {
    totals.on_time += stage.rows_on_time.get();
    totals.late_in_source += stage.rows_late_in_source.get();
    totals.late_after_idle += stage.rows_late_after_idle.get();
    totals.in_no_window += stage.rows_in_no_window.get();
    totals.results += stage.results.get();
  }
  for (const SourceFigures& source : sources_) {
    totals.read += source.rows_read.get();
    totals.bad += source.rows_bad.get();
  }
  return totals;
}

EventTime LiveRun::highest_event_time() const {
  EventTime highest = kNoWatermark;
  for (const SourceFigures& source : sources_) {
    highest = std::max(highest, source.highest_event_time.get());
  }
  return highest;
}

EventTime LiveRun::watermark() const {
  EventTime lowest = kEndOfTime;
  for (const StageFigures& stage : stages_) lowest = std::min(lowest, stage.watermark.get());
  return lowest;
}

std::shared_ptr<LiveRun> LiveRuns::begin(std::size_t sources, std::size_t stages,
                                         std::size_t workers, std::size_t channel_batches) {
  auto run = std::make_shared<LiveRun>(sources, stages, workers, channel_batches);
  const std::scoped_lock lock(mutex_);
  if (state_.run) state_.earlier += state_.run->totals();
  state_.run = run;
  ++state_.runs;
  return run;
}

LiveRuns::State LiveRuns::state() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

}  // namespace tidemark
