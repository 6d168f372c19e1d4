#include "tidemark/operators/sink_task.h"

#include <algorithm>
#include <utility>

namespace tidemark {

SinkTask::SinkTask(Inbox& inbox, std::vector<Channel*> results, std::vector<Channel*> late,
                   ResultSink* result_sink, LateSink* late_sink, FiredWindows fired)
    : inbox_(inbox),
      channels_(std::move(results)),
      result_channels_(channels_.size()),
      result_sink_(result_sink),
      late_sink_(late_sink),
      alignment_(std::max<std::size_t>(result_channels_, 1)),
      fired_(std::move(fired)) {
  channels_.insert(channels_.end(), late.begin(), late.end());
  running_ = channels_.size();
}

TaskStatus SinkTask::run() {
  if (running_ == 0) {
    if (result_sink_ != nullptr) result_sink_->finish();
    if (late_sink_ != nullptr) late_sink_->finish();
    return TaskStatus::kFinished;
  }
  Batch* batch = inbox_.try_receive();
  if (batch == nullptr) return TaskStatus::kWaiting;
  const BatchHeader header = batch->header;
  if (header.channel < result_channels_) {
    take_results(*batch);
  } else {
    take_late_rows(*batch);
  }
  if (header.end_of_stream) --running_;
  channels_[header.channel]->release(batch);
  return TaskStatus::kProgress;
}

void SinkTask::take_results(const Batch& batch) {
  if (!batch.empty()) {
    fired_.add(batch);
    result_sink_->accept(batch);
  }
  if (batch.header.watermark == kNoWatermark) return;
  const auto watermark = alignment_.on_watermark(batch.header.channel, batch.header.watermark);
  if (!watermark) return;
  fired_.advance(*watermark);
  result_sink_->on_watermark(*watermark);
}

void SinkTask::take_late_rows(const Batch& batch) {
  const Column& watermarks = batch.column(batch.column_count() - 1);
  for (std::size_t row = 0; row < batch.size(); ++row) {
    late_sink_->accept(batch, row, watermarks.int64s()[row]);
  }
}

}  // namespace tidemark
