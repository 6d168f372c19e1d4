// The source stage: reads one partition, follows its watermark, and partitions rows by key.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/operators/event_time_jumps.h"
#include "tidemark/operators/key_partition.h"
#include "tidemark/operators/live_run.h"
#include "tidemark/operators/local_panes.h"
#include "tidemark/operators/pipeline_options.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/source.h"
#include "tidemark/operators/watermark_strategy.h"
#include "tidemark/operators/window_edges.h"
#include "tidemark/runtime/task.h"
#include "tidemark/runtime/watermark_drift.h"

namespace tidemark {

// Batches are cut at every watermark that completes a window, so that results do not depend on
// batch size: each row is judged as if a watermark followed every row before it. Windows whose
// edges are not known ahead get the same from rows that carry the watermark as of their arrival;
// for them batches need no cuts, and a watermark goes with all that a poll has yielded.
class SourceTask final : public Task {
 public:
  // `drift` may be null, and so may `local`: panes to aggregate rows in before they are sent.
  SourceTask(std::size_t index, const WindowQuery& query, SourcePartition& partition,
             const std::vector<Channel*>& channels, Parker& parker, WatermarkDrift* drift,
             const PipelineOptions& options, std::unique_ptr<LocalPanes> local = nullptr);
  ~SourceTask() override;

  TaskStatus run() override;
  std::optional<Clock::time_point> deadline() const override { return deadline_; }
  std::string name() const override;

  // Before the run: where to show rows and event time after each batch.
  void publish_to(SourceFigures& figures) { figures_ = &figures; }
  void report(RunReport& report) const;

 private:
  // Routes what has been read so far; false: a channel is full.
  bool drain();
  void route_next_segment();
  // Sends the partial states that are due; false: a channel is full.
  bool drain_partials();
  TaskStatus poll();
  void take_rows();
  TaskStatus wait_for_rows();
  // Processing time: sends the watermark if the clock has come to the next cut.
  bool follow_clock();
  void send_watermark();
  Clock::duration time_to_next_cut() const;
  Clock::time_point now() const { return steady_clock_ ? steady_clock_() : Clock::now(); }
  void publish_progress(EventTime watermark);
  void publish_figures();
  void finish(bool cancelled);

  std::size_t index_;
  SourcePartition& partition_;
  KeyPartition router_;
  std::unique_ptr<LocalPanes> local_;  // may be null
  Parker& parker_;
  PartitionWatermarks watermarks_;
  EventTimeJumps jumps_;
  std::optional<MaxAheadGuard> guard_;
  WindowEdges edges_;
  bool by_clock_;
  // Some windows have no edges to cut at.
  bool cuts_every_poll_;
  std::size_t key_columns_;
  std::optional<Clock::duration> idle_timeout_;
  Clock::duration linger_;
  std::function<Clock::time_point()> steady_clock_;
  WatermarkDrift* drift_;  // may be null
  const Cancellation* cancellation_;
  SourceFigures* figures_ = nullptr;

  Batch rows_;
  std::size_t next_row_ = 0;
  EventTime next_cut_ = kNoWatermark + 1;  // the watermark at which batches are cut next
  EventTime sent_watermark_ = kNoWatermark;
  bool routing_ = false;
  bool cut_after_segment_ = false;
  bool routing_partials_ = false;
  // Rows of the segment that were not aggregated here, and are to be routed after what is due.
  std::optional<std::span<const std::uint16_t>> refused_;
  std::optional<BatchHeader> flushing_;
  bool started_ = false;
  bool stopped_ = false;
  bool idle_ = false;
  std::optional<Clock::time_point> quiet_since_;
  // When there was nothing to read for the first time since the router has held rows.
  std::optional<Clock::time_point> held_since_;
  std::optional<Clock::time_point> deadline_;
  std::uint64_t rows_read_ = 0;
  std::uint64_t rows_refused_ = 0;
  std::uint64_t idle_transitions_ = 0;
  bool silent_ = false;  // see RunReport::silent_partitions
};

}  // namespace tidemark
