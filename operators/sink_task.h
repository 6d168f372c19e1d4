// The sink stage: brings the results and late rows of all window stages to one sink each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/operators/fired_windows.h"
#include "tidemark/operators/sink.h"
#include "tidemark/runtime/channel.h"
#include "tidemark/runtime/task.h"
#include "tidemark/runtime/watermark_alignment.h"

namespace tidemark {

class SinkTask final : public Task {
 public:
  // Channels by index in `inbox`: results first (one per window stage, or none), then late rows.
  SinkTask(Inbox& inbox, std::vector<Channel*> results, std::vector<Channel*> late,
           ResultSink* result_sink, LateSink* late_sink, FiredWindows fired = FiredWindows());

  TaskStatus run() override;
  std::string name() const override { return "sink"; }

  // Windows that had a result, each counted once. After the run.
  std::uint64_t windows_fired() const { return fired_.count(); }

 private:
  void take_results(const Batch& batch);
  void take_late_rows(const Batch& batch);

  Inbox& inbox_;
  std::vector<Channel*> channels_;
  std::size_t result_channels_;
  ResultSink* result_sink_;
  LateSink* late_sink_;
  WatermarkAlignment alignment_;
  FiredWindows fired_;
  std::size_t running_;
};

}  // namespace tidemark
