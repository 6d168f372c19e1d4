#include "tidemark/operators/source_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/operators/key_hash.h"

namespace tidemark {

namespace {

// How often the watermark of processing time goes to windows without edges known ahead, in ms.
constexpr std::int64_t kClockStep = 10;
// A partition that has no row for so long is worth a word if it holds all others.
constexpr std::chrono::seconds kLongSilence{1};

std::vector<WindowSpec> windows_with_edges(const WindowQuery& query) {
  std::vector<WindowSpec> windows;
  for (const WindowSpec& window : query.windows) {
    if (!query.leaves_shared_path(window)) windows.push_back(window);
  }
  return windows;
}

}  // namespace

SourceTask::SourceTask(std::size_t index, const WindowQuery& query, SourcePartition& partition,
                       const std::vector<Channel*>& channels, Parker& parker, WatermarkDrift* drift,
                       const PipelineOptions& options, std::unique_ptr<LocalPanes> local)
    : index_(index),
      partition_(partition),
      router_(channels),
      local_(std::move(local)),
      parker_(parker),
      watermarks_(query, options.wall_clock),
      jumps_(query.delay),
      edges_(windows_with_edges(query), zone_clock_of(query.zone), query.lateness),
      by_clock_(query.time_domain == TimeDomain::kProcessing),
      cuts_every_poll_(windows_with_edges(query).size() < query.windows.size()),
      key_columns_(query.keys.size()),
      linger_(options.linger),
      steady_clock_(options.steady_clock),
      drift_(drift),
      cancellation_(options.cancellation),
      rows_(query.row_schema(), options.batch_rows) {
  if (by_clock_) return;
  if (query.idle_timeout) idle_timeout_ = std::chrono::milliseconds(*query.idle_timeout);
  if (query.max_ahead) guard_.emplace(*query.max_ahead);
}

SourceTask::~SourceTask() {
  if (started_ && !stopped_) partition_.stop();
}

std::string SourceTask::name() const { return fmt::format("source[{}]", index_); }

TaskStatus SourceTask::run() {
  if (!started_) {
    started_ = true;
    partition_.start(parker_);
  }
  deadline_.reset();
  if (!drain()) return TaskStatus::kBlocked;
  if (stopped_) return TaskStatus::kFinished;
  if (cancellation_ != nullptr && cancellation_->requested()) {
    finish(true);
    return TaskStatus::kProgress;
  }
  publish_progress(idle_ ? kEndOfTime : watermarks_.watermark());
  if (drift_ != nullptr && !drift_->may_read(index_)) {
    deadline_ = Clock::now() + kCancellationPoll;
    return TaskStatus::kWaiting;
  }
  if (by_clock_ && follow_clock()) return TaskStatus::kProgress;
  return poll();
}

bool SourceTask::drain() {
  while (true) {
    if (local_ && !drain_partials()) return false;
    if (refused_) router_.route(rows_, *std::exchange(refused_, std::nullopt));
    if (routing_) {
      if (!router_.push()) return false;
      routing_ = false;
      if (cut_after_segment_) {
        send_watermark();
        continue;
      }
    }
    if (flushing_) {
      if (!router_.flush(*flushing_)) return false;
      flushing_.reset();
      held_since_.reset();
    }
    if (next_row_ >= rows_.size()) return true;
    route_next_segment();
  }
}

bool SourceTask::drain_partials() {
  while (Batch* partials = local_->due()) {
    if (!routing_partials_) router_.route(*partials, 0, partials->size());
    routing_partials_ = true;
    if (!router_.push()) return false;
    routing_partials_ = false;
    local_->sent();
  }
  return true;
}

// Partials do not wait for `linger`: their windows cannot fire before this source's watermark, or
// its being idle, makes them due.
void SourceTask::send_watermark() {
  if (local_) local_->close(watermarks_.watermark());
  flushing_ = BatchHeader{};
  flushing_->watermark = sent_watermark_ = watermarks_.watermark();
  next_cut_ = edges_.next_after(sent_watermark_);
}

// A segment ends with the first row that raises the watermark to the next cut, or with the batch.
void SourceTask::route_next_segment() {
  const std::size_t end = watermarks_.follow(rows_, next_row_, next_cut_);
  const EventTime watermark = watermarks_.watermark();
  cut_after_segment_ = watermark >= next_cut_ ||
                       (cuts_every_poll_ && end == rows_.size() && watermark > sent_watermark_);
  if (local_ && !local_->passes_all(rows_, next_row_, end)) {
    refused_ = local_->take(rows_, next_row_, end);
  } else {
    router_.route(rows_, next_row_, end);
  }
  next_row_ = end;
  routing_ = true;
}

bool SourceTask::follow_clock() {
  watermarks_.read_clock();
  if (watermarks_.watermark() < next_cut_) return false;
  send_watermark();
  return true;
}

TaskStatus SourceTask::poll() {
  // The event time of the rows before, too, which have been followed and routed by now.
  if (figures_ != nullptr) publish_figures();
  rows_.clear();
  next_row_ = 0;
  switch (partition_.poll(rows_)) {
    case PollStatus::kRows:
      take_rows();
      return TaskStatus::kProgress;
    case PollStatus::kEnd:
      finish(false);
      return TaskStatus::kProgress;
    case PollStatus::kPending:
      break;
  }
  return wait_for_rows();
}

void SourceTask::take_rows() {
  rows_read_ += rows_.size();
  quiet_since_.reset();
  idle_ = false;
  if (guard_) rows_refused_ += guard_->drop_refused(rows_).size();
  watermarks_.stamp(rows_);
  if (!by_clock_) jumps_.observe({rows_.times(), rows_.size()}, watermarks_.highest());
  hash_keys(rows_, key_columns_, 0, rows_.size());
  if (figures_ != nullptr) publish_figures();
}

TaskStatus SourceTask::wait_for_rows() {
  const Clock::time_point asked = now();
  if (!quiet_since_) quiet_since_ = asked;
  // Rows that come meanwhile do not make those that are held wait longer.
  if (!router_.holds_rows()) held_since_.reset();
  if (router_.holds_rows() && !held_since_) held_since_ = asked;
  if (router_.holds_rows() && asked - *held_since_ >= linger_) {
    flushing_ = BatchHeader{};
    return TaskStatus::kProgress;
  }
  if (idle_timeout_ && !idle_ && asked - *quiet_since_ >= *idle_timeout_) {
    idle_ = true;
    ++idle_transitions_;
    if (local_) local_->retire();
    flushing_ = BatchHeader{};
    flushing_->idle = true;
    return TaskStatus::kProgress;
  }
  if (by_clock_ && cuts_every_poll_ && watermarks_.watermark() >= sent_watermark_ + kClockStep) {
    send_watermark();
    return TaskStatus::kProgress;
  }
  Clock::duration pause = kCancellationPoll;
  if (router_.holds_rows()) pause = std::min(pause, *held_since_ + linger_ - asked);
  if (idle_timeout_ && !idle_) pause = std::min(pause, *quiet_since_ + *idle_timeout_ - asked);
  if (by_clock_) pause = std::min(pause, time_to_next_cut());
  deadline_ = Clock::now() + pause;
  if (const auto ready = partition_.ready_at()) deadline_ = std::min(*deadline_, *ready);
  return TaskStatus::kWaiting;
}

Clock::duration SourceTask::time_to_next_cut() const {
  const EventTime watermark = watermarks_.watermark();
  if (next_cut_ > saturating_add(watermark, kCancellationPoll.count())) return kCancellationPoll;
  return std::chrono::milliseconds(next_cut_ - watermark);
}

void SourceTask::publish_progress(EventTime watermark) {
  if (drift_ != nullptr) drift_->publish(index_, watermark);
}

void SourceTask::publish_figures() {
  const std::uint64_t unreadable = partition_.bad_rows();
  figures_->rows_read.set(rows_read_ + unreadable);
  figures_->rows_bad.set(rows_refused_ + unreadable);
  figures_->highest_event_time.set(watermarks_.highest());
}

void SourceTask::finish(bool cancelled) {
  partition_.stop();
  publish_progress(kEndOfTime);
  if (figures_ != nullptr) publish_figures();
  silent_ = rows_read_ == 0 && partition_.bad_rows() == 0 && idle_transitions_ == 0 && !by_clock_ &&
            quiet_since_ && now() - *quiet_since_ >= kLongSilence;
  stopped_ = true;
  if (local_) local_->retire();
  flushing_ = BatchHeader{};
  flushing_->watermark = watermarks_.watermark();
  flushing_->end_of_stream = true;
  flushing_->cancelled = cancelled;
}

void SourceTask::report(RunReport& report) const {
  report.rows_read += rows_read_ + partition_.bad_rows();
  report.rows_bad += rows_refused_ + partition_.bad_rows();
  report.highest_event_time = std::max(report.highest_event_time, watermarks_.highest());
  report.idle_transitions += idle_transitions_;
  report.batches_sent += router_.batches_sent();
  if (local_) {
    report.rows_preaggregated += local_->rows_taken();
    report.partials += local_->partials();
  }
  if (silent_) report.silent_partitions.push_back(index_);
  if (jumps_.largest().ms > report.largest_jump.ms) {
    report.largest_jump = jumps_.largest();
    report.largest_jump.partition = index_;
  }
}

}  // namespace tidemark
