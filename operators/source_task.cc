#include "tidemark/operators/source_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/operators/key_hash.h"

namespace tidemark {

SourceTask::SourceTask(std::size_t index, const WindowQuery& query, SourcePartition& partition,
                       const std::vector<Channel*>& channels, Parker& parker,
                       std::size_t batch_rows, std::chrono::milliseconds linger,
                       WatermarkDrift* drift, const Cancellation* cancellation)
    : index_(index),
      partition_(partition),
      router_(channels),
      parker_(parker),
      watermarks_(query.delay),
      edges_(query.windows),
      key_columns_(query.keys.size()),
      linger_(linger),
      drift_(drift),
      cancellation_(cancellation),
      rows_(query.row_schema(), batch_rows) {
  if (query.idle_timeout) idle_timeout_ = std::chrono::milliseconds(*query.idle_timeout);
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
  if (!drain()) return TaskStatus::kWaiting;
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
  return poll();
}

bool SourceTask::drain() {
  while (true) {
    if (routing_) {
      if (!router_.push()) return false;
      routing_ = false;
      if (cut_after_segment_) {
        flushing_ = BatchHeader{};
        flushing_->watermark = watermarks_.watermark();
        next_cut_ = edges_.next_after(watermarks_.watermark());
      }
    }
    if (flushing_) {
      if (!router_.flush(*flushing_)) return false;
      flushing_.reset();
    }
    if (next_row_ >= rows_.size()) return true;
    route_next_segment();
  }
}

// A segment ends with the first row that raises the watermark to the next cut, or with the batch.
void SourceTask::route_next_segment() {
  const EventTime* times = rows_.times();
  const EventTime cut_time = watermarks_.time_that_reaches(next_cut_);
  EventTime highest = kNoWatermark;
  for (std::size_t row = next_row_; row < rows_.size(); ++row) {
    highest = std::max(highest, times[row]);
  }
  std::size_t end = rows_.size();
  cut_after_segment_ = highest >= cut_time;
  if (cut_after_segment_) {
    end = next_row_;
    while (times[end] < cut_time) ++end;
    highest = times[end++];
  }
  watermarks_.observe(highest);
  router_.route(rows_, next_row_, end);
  next_row_ = end;
  routing_ = true;
}

TaskStatus SourceTask::poll() {
  rows_.clear();
  next_row_ = 0;
  switch (partition_.poll(rows_)) {
    case PollStatus::kRows:
      hash_keys(rows_, key_columns_, 0, rows_.size());
      rows_read_ += rows_.size();
      quiet_since_.reset();
      idle_ = false;
      return TaskStatus::kProgress;
    case PollStatus::kEnd:
      finish(false);
      return TaskStatus::kProgress;
    case PollStatus::kPending:
      break;
  }
  return wait_for_rows();
}

TaskStatus SourceTask::wait_for_rows() {
  const Clock::time_point now = Clock::now();
  if (!quiet_since_) quiet_since_ = now;
  if (router_.holds_rows() && now - *quiet_since_ >= linger_) {
    flushing_ = BatchHeader{};
    return TaskStatus::kProgress;
  }
  if (idle_timeout_ && !idle_ && now - *quiet_since_ >= *idle_timeout_) {
    idle_ = true;
    flushing_ = BatchHeader{};
    flushing_->idle = true;
    return TaskStatus::kProgress;
  }
  Clock::time_point wake = now + kCancellationPoll;
  if (router_.holds_rows()) wake = std::min(wake, *quiet_since_ + linger_);
  if (idle_timeout_ && !idle_) wake = std::min(wake, *quiet_since_ + *idle_timeout_);
  if (const auto ready = partition_.ready_at()) wake = std::min(wake, *ready);
  deadline_ = wake;
  return TaskStatus::kWaiting;
}

void SourceTask::publish_progress(EventTime watermark) {
  if (drift_ != nullptr) drift_->publish(index_, watermark);
}

void SourceTask::finish(bool cancelled) {
  partition_.stop();
  publish_progress(kEndOfTime);
  stopped_ = true;
  flushing_ = BatchHeader{};
  flushing_->watermark = watermarks_.watermark();
  flushing_->end_of_stream = true;
  flushing_->cancelled = cancelled;
}

void SourceTask::report(RunReport& report) const {
  report.rows_read += rows_read_ + partition_.bad_rows();
  report.rows_bad += partition_.bad_rows();
  report.highest_event_time = std::max(report.highest_event_time, watermarks_.highest());
}

}  // namespace tidemark
