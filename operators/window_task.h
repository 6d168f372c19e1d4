// The window stage as a task: takes batches from all sources, aligns their watermarks, and drives a
// window operator.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/live_run.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/runtime/channel.h"
#include "tidemark/runtime/task.h"
#include "tidemark/runtime/watermark_alignment.h"

namespace tidemark {

// Where a window stage's results go: a channel to the sink task, or a sink of its own.
struct WindowTaskOutputs {
  Channel* results = nullptr;
  ResultSink* own_sink = nullptr;  // used if there is no channel
  Channel* late = nullptr;         // may be null: late rows are only counted
};

// The schema of late batches: the row schema and the stage's watermark at the row's arrival.
Schema late_schema(const WindowQuery& query);

class WindowTask final : public Task {
 public:
  // `sources` has one channel per source task, by channel index.
  WindowTask(std::size_t index, const WindowQuery& query, const std::vector<WindowPlan>& plans,
             Inbox& inbox, std::vector<Channel*> sources, WindowTaskOutputs outputs,
             std::size_t result_rows, std::function<EventTime()> clock, KeyCollection collection);
  ~WindowTask() override;

  TaskStatus run() override;
  std::optional<Clock::time_point> deadline() const override;
  std::string name() const override;

  // Before the run: where stage `index` of the run shows its figures after each batch.
  void publish_to(LiveRun& run, std::size_t index);

  bool cancelled() const { return cancelled_; }
  EventTime watermark() const { return alignment_.watermark(); }
  void report(RunReport& report) const { operator_.report(report); }

 private:
  class Output;

  // Fires what is due and sends the watermark on; false: no room downstream.
  bool settle();
  bool take(Batch& batch);
  bool add_rows(const Batch& batch);
  // At the watermark before the batch; and each row at its own.
  bool add_rows_at_once(const Batch& batch);
  bool add_rows_in_time(const Batch& batch);
  // What this stage's watermark is before each row.
  void align_rows(const Batch& batch);
  void send_late_rows(const Batch& batch);
  void follow_header(const BatchHeader& header);
  void follow_change();
  void raise(std::optional<EventTime> watermark);
  bool send_watermark();
  bool send_end();
  void publish_figures();

  std::size_t index_;
  Inbox& inbox_;
  std::vector<Channel*> sources_;
  WindowTaskOutputs outputs_;
  std::unique_ptr<Output> output_;
  WindowOperator operator_;
  WatermarkAlignment alignment_;
  std::vector<bool> idle_;
  std::size_t running_sources_;
  Batch* late_batch_ = nullptr;
  Batch* waiting_ = nullptr;  // received, but there was no room for its late rows
  bool unsettled_ = false;
  // A channel's end or idleness that is still to be followed.
  std::optional<BatchHeader> change_;
  EventTime sent_watermark_ = kNoWatermark;
  StageFigures* figures_ = nullptr;
  std::vector<ChannelFigures*> channel_figures_;  // by source
  // The watermark of the channel that `waiting_` came by does not count for the stage's.
  bool left_out_ = false;
  bool cancelled_ = false;
  bool results_ended_ = false;
  bool late_ended_ = false;
  std::vector<std::uint16_t> late_rows_;
  std::function<EventTime()> clock_;
  // Of rows that carry watermarks: what this stage's watermark is before each row of `waiting_`.
  std::size_t watermark_column_;
  bool row_by_row_;
  bool fires_on_rows_;
  bool begun_ = false;  // some rows of `waiting_` may have been added
  std::vector<EventTime> watermarks_;
  std::vector<EventTime> late_watermarks_;
};

}  // namespace tidemark
