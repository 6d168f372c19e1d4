// The source stage: reads one partition, follows its watermark, and partitions rows by key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/key_partition.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/source.h"
#include "tidemark/operators/watermark_strategy.h"
#include "tidemark/operators/window_edges.h"
#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/task.h"
#include "tidemark/runtime/watermark_drift.h"

namespace tidemark {

// Batches are cut at every watermark that completes a window, so that results do not depend on
// batch size: each row is judged as if a watermark followed every row before it.
class SourceTask final : public Task {
 public:
  SourceTask(std::size_t index, const WindowQuery& query, SourcePartition& partition,
             const std::vector<Channel*>& channels, Parker& parker, std::size_t batch_rows,
             std::chrono::milliseconds linger, WatermarkDrift* drift,
             const Cancellation* cancellation);
  ~SourceTask() override;

  TaskStatus run() override;
  std::optional<Clock::time_point> deadline() const override { return deadline_; }
  std::string name() const override;

  void report(RunReport& report) const;

 private:
  // Routes what has been read so far; false: a channel is full.
  bool drain();
  void route_next_segment();
  TaskStatus poll();
  TaskStatus wait_for_rows();
  void publish_progress(EventTime watermark);
  void finish(bool cancelled);

  std::size_t index_;
  SourcePartition& partition_;
  KeyPartition router_;
  Parker& parker_;
  BoundedOutOfOrderness watermarks_;
  WindowEdges edges_;
  std::size_t key_columns_;
  std::optional<Clock::duration> idle_timeout_;
  Clock::duration linger_;
  WatermarkDrift* drift_;  // may be null
  const Cancellation* cancellation_;

  Batch rows_;
  std::size_t next_row_ = 0;
  EventTime next_cut_ = kNoWatermark + 1;  // the watermark at which batches are cut next
  bool routing_ = false;
  bool cut_after_segment_ = false;
  std::optional<BatchHeader> flushing_;
  bool started_ = false;
  bool stopped_ = false;
  bool idle_ = false;
  std::optional<Clock::time_point> quiet_since_;
  std::optional<Clock::time_point> deadline_;
  std::uint64_t rows_read_ = 0;
};

}  // namespace tidemark
