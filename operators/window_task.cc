#include "tidemark/operators/window_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace tidemark {

namespace {
// Results that are read right away on the same core should still be in its first-level cache.
constexpr std::size_t kOwnBatchRows = 256;

// The others' batches are cut at their edges, where one watermark for all rows says enough.
bool leaves_shared_path(const std::vector<WindowPlan>& plans) {
  return std::any_of(plans.begin(), plans.end(),
                     [](const WindowPlan& plan) { return plan.leaves_shared_path; });
}
}  // namespace

// Result batches go through the channel, or stay here and are read by the stage's own sink.
class WindowTask::Output final : public ResultOutput {
 public:
  Output(const WindowQuery& query, const WindowTaskOutputs& outputs, std::size_t result_rows)
      : outputs_(outputs) {
    if (outputs.results == nullptr) {
      own_ = std::make_unique<Batch>(query.result_schema(), std::min(result_rows, kOwnBatchRows));
    }
  }

  Batch* acquire() override {
    return outputs_.results != nullptr ? outputs_.results->try_acquire() : own_.get();
  }
  void deliver(Batch* results) override {
    if (outputs_.results != nullptr) {
      outputs_.results->send(results);
      return;
    }
    if (!results->empty()) outputs_.own_sink->accept(*results);
    tell(results->header.watermark);
    results->clear();
  }
  // Only to a sink of its own.
  void tell(EventTime watermark) {
    if (watermark <= told_) return;
    told_ = watermark;
    outputs_.own_sink->on_watermark(watermark);
  }
  bool reads_in_place() const override { return outputs_.results == nullptr; }

 private:
  const WindowTaskOutputs& outputs_;
  std::unique_ptr<Batch> own_;
  EventTime told_ = kNoWatermark;
};

Schema late_schema(const WindowQuery& query) {
  Schema schema = query.row_schema();
  schema.push_back({"watermark", ColumnType::kInt64});
  return schema;
}

WindowTask::WindowTask(std::size_t index, const WindowQuery& query,
                       const std::vector<WindowPlan>& plans, Inbox& inbox,
                       std::vector<Channel*> sources, WindowTaskOutputs outputs,
                       std::size_t result_rows, std::function<EventTime()> clock,
                       KeyCollection collection)
    : index_(index),
      inbox_(inbox),
      sources_(std::move(sources)),
      outputs_(outputs),
      output_(std::make_unique<Output>(query, outputs_, result_rows)),
      operator_(query, plans, *output_, collection, clock),
      alignment_(sources_.size()),
      idle_(sources_.size(), false),
      running_sources_(sources_.size()),
      clock_(std::move(clock)),
      watermark_column_(query.watermark_column()),
      row_by_row_(leaves_shared_path(plans)),
      fires_on_rows_(row_by_row_ || query.lateness > 0) {}

WindowTask::~WindowTask() = default;

std::string WindowTask::name() const { return fmt::format("window[{}]", index_); }

TaskStatus WindowTask::run() {
  if (unsettled_ && !settle()) return TaskStatus::kBlocked;
  if (change_) {
    follow_change();
    return TaskStatus::kProgress;
  }
  if (running_sources_ == 0) return send_end() ? TaskStatus::kFinished : TaskStatus::kBlocked;
  if (waiting_ == nullptr) waiting_ = inbox_.try_receive();
  if (waiting_ == nullptr) {
    const auto due = operator_.next_processing_time();
    if (!due || *due > clock_()) return TaskStatus::kWaiting;
    unsettled_ = true;
    return TaskStatus::kProgress;
  }
  if (!take(*waiting_)) return TaskStatus::kBlocked;
  waiting_ = nullptr;
  return TaskStatus::kProgress;
}

std::optional<Clock::time_point> WindowTask::deadline() const {
  const auto due = operator_.next_processing_time();
  if (!due) return std::nullopt;
  return Clock::now() + std::chrono::milliseconds(std::max<EventTime>(*due - clock_(), 1));
}

bool WindowTask::take(Batch& batch) {
  const BatchHeader header = batch.header;
  const bool has_rows = !batch.empty();
  // Rows of a channel that was idle make it active before they are judged.
  if (idle_[header.channel] && (has_rows || header.watermark != kNoWatermark)) {
    idle_[header.channel] = false;
    raise(alignment_.on_active(header.channel));
    if (unsettled_ && !settle()) return false;
  }
  if (figures_ != nullptr && !begun_) left_out_ = !alignment_.counts(header.channel);
  if (has_rows && !add_rows(batch)) return false;
  sources_[header.channel]->release(&batch);
  if (figures_ != nullptr) publish_figures();
  follow_header(header);
  return true;
}

bool WindowTask::add_rows(const Batch& batch) {
  if (batch.state_size() > 0) {
    operator_.add_partials(batch);
    return true;
  }
  // A batch for late rows is there first, so that rows are never added twice or half.
  if (outputs_.late != nullptr && late_batch_ == nullptr) {
    late_batch_ = outputs_.late->try_acquire();
    if (late_batch_ == nullptr) return false;
  }
  if (!(row_by_row_ ? add_rows_in_time(batch) : add_rows_at_once(batch))) return false;
  begun_ = false;
  // What rows have fired does not wait for a watermark, which may stay where it is.
  if (fires_on_rows_) operator_.emitter().flush();
  if (outputs_.late != nullptr && !late_rows_.empty()) send_late_rows(batch);
  return true;
}

bool WindowTask::add_rows_at_once(const Batch& batch) {
  if (!begun_) {
    late_rows_.clear();
    begun_ = true;
  }
  if (!operator_.add(batch, late_rows_)) return false;
  late_watermarks_.assign(late_rows_.size(), operator_.watermark());
  return true;
}

bool WindowTask::add_rows_in_time(const Batch& batch) {
  if (!begun_) {
    align_rows(batch);
    late_rows_.clear();
    late_watermarks_.clear();
    begun_ = true;
  }
  return operator_.add_in_time(batch, watermarks_, late_rows_, late_watermarks_);
}

void WindowTask::align_rows(const Batch& batch) {
  const EventTime* const theirs = batch.column(watermark_column_).int64s();
  const std::size_t n = batch.size();
  watermarks_.resize(n);
  if (sources_.size() > 1) {
    for (std::size_t row = 0; row < n; ++row) {
      alignment_.on_watermark(batch.header.channel, theirs[row]);
      watermarks_[row] = alignment_.watermark();
    }
    return;
  }
  // A channel alone sets the watermark, and what its rows carry never goes back.
  const EventTime before = alignment_.watermark();
  for (std::size_t row = 0; row < n; ++row) watermarks_[row] = std::max(theirs[row], before);
  alignment_.on_watermark(batch.header.channel, theirs[n - 1]);
}

void WindowTask::send_late_rows(const Batch& batch) {
  const std::size_t n = late_rows_.size();
  for (std::size_t i = 0; i < n; ++i) late_batch_->times()[i] = batch.times()[late_rows_[i]];
  for (std::size_t i = 0; i < batch.column_count(); ++i) {
    late_batch_->column(i).copy_selected(0, batch.column(i), late_rows_);
  }
  std::copy(late_watermarks_.begin(), late_watermarks_.end(),
            late_batch_->column(batch.column_count()).int64s());
  late_batch_->set_size(n);
  outputs_.late->send(late_batch_);
  late_batch_ = nullptr;
}

void WindowTask::follow_header(const BatchHeader& header) {
  if (header.watermark != kNoWatermark) {
    raise(alignment_.on_watermark(header.channel, header.watermark));
  }
  if (figures_ != nullptr) {
    ChannelFigures& channel = *channel_figures_[header.channel];
    if (header.watermark != kNoWatermark) channel.watermark.set(header.watermark);
    channel.idle.set(header.idle);
  }
  // What comes after that watermark waits until everything due at it has fired.
  if (header.end_of_stream || header.idle) change_ = header;
}

void WindowTask::follow_change() {
  const BatchHeader header = *change_;
  change_.reset();
  if (header.end_of_stream) {
    --running_sources_;
    cancelled_ |= header.cancelled;
    // A cancelled input is not complete: its windows stay open.
    if (!header.cancelled) raise(alignment_.on_finished(header.channel));
  } else {
    idle_[header.channel] = true;
    raise(alignment_.on_idle(header.channel));
  }
}

void WindowTask::publish_to(LiveRun& run, std::size_t index) {
  figures_ = &run.stage(index);
  for (std::size_t i = 0; i < run.sources(); ++i) {
    channel_figures_.push_back(&run.channel(i, index));
  }
}

// After rows. The stage's watermark is the lowest of the channels that count: only one that does
// not, because it was idle, can have rows behind it that its own watermark would let pass.
void WindowTask::publish_figures() {
  const RowOutcomes rows = operator_.rows();
  const std::uint64_t late_before =
      figures_->rows_late_in_source.get() + figures_->rows_late_after_idle.get();
  (left_out_ ? figures_->rows_late_after_idle : figures_->rows_late_in_source)
      .add(rows.late - late_before);
  figures_->rows_on_time.set(rows.on_time);
  figures_->rows_in_no_window.set(rows.in_no_window);
  figures_->results.set(operator_.emitter().results());
}

void WindowTask::raise(std::optional<EventTime> watermark) {
  if (!watermark) return;
  operator_.advance(*watermark);
  if (figures_ != nullptr) figures_->watermark.set(*watermark);
  unsettled_ = true;
}

bool WindowTask::settle() {
  if (!operator_.fire()) return false;
  if (!send_watermark()) return false;
  unsettled_ = false;
  return true;
}

bool WindowTask::send_watermark() {
  const EventTime watermark = operator_.watermark();
  if (watermark == sent_watermark_) return true;
  ResultEmitter& emitter = operator_.emitter();
  if (outputs_.results == nullptr) {
    emitter.flush();
    output_->tell(watermark);
  } else {
    // Firing has said so to the emitter.
    if (emitter.current() == nullptr && emitter.room() == 0) return false;
    emitter.flush();
  }
  sent_watermark_ = watermark;
  if (figures_ != nullptr) figures_->results.set(emitter.results());
  return true;
}

bool WindowTask::send_end() {
  if (outputs_.results == nullptr) {
    if (!results_ended_) outputs_.own_sink->finish();
    results_ended_ = true;
  }
  if (!results_ended_) {
    Batch* batch = outputs_.results->try_acquire();
    if (batch == nullptr) return false;
    batch->header.end_of_stream = true;
    outputs_.results->send(batch);
    results_ended_ = true;
  }
  if (outputs_.late != nullptr && !late_ended_) {
    if (late_batch_ == nullptr) late_batch_ = outputs_.late->try_acquire();
    if (late_batch_ == nullptr) return false;
    late_batch_->header.end_of_stream = true;
    outputs_.late->send(late_batch_);
    late_ended_ = true;
  }
  return true;
}

}  // namespace tidemark
