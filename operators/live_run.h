// The figures of a run while it goes on, for another thread: a progress line, a metrics server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tidemark/runtime/channel_figures.h"
#include "tidemark/runtime/published_value.h"
#include "tidemark/runtime/time.h"
#include "tidemark/runtime/worker_figures.h"

namespace tidemark {

// One cache line each, written by the one task that it is about, at the end of a batch.
struct alignas(64) SourceFigures {
  PublishedValue<std::uint64_t> rows_read;  // bad ones too
  PublishedValue<std::uint64_t> rows_bad;
  PublishedValue<EventTime> highest_event_time{kNoWatermark};
};

struct alignas(64) StageFigures {
  PublishedValue<std::uint64_t> rows_on_time;
  // Late because the watermark had passed the row's windows: by rows of its own source before it,
  // or by other sources while its own was idle.
  PublishedValue<std::uint64_t> rows_late_in_source;
  PublishedValue<std::uint64_t> rows_late_after_idle;
  PublishedValue<std::uint64_t> rows_in_no_window;
  PublishedValue<std::uint64_t> results;
  PublishedValue<EventTime> watermark{kNoWatermark};
};

// Rows by outcome, over any number of sources and stages. Those that are read and not yet judged
// are in no outcome.
struct RowTotals {
  std::uint64_t read = 0;
  std::uint64_t bad = 0;
  std::uint64_t on_time = 0;
  std::uint64_t late_in_source = 0;
  std::uint64_t late_after_idle = 0;
  std::uint64_t in_no_window = 0;
  std::uint64_t results = 0;

  std::uint64_t late() const { return late_in_source + late_after_idle; }
  RowTotals& operator+=(const RowTotals& other);
};

// A run of `sources` sources and `stages` window stages: a channel from each to each, and
// `workers` workers: one per stage, and perhaps one of the sink. The figures may be read by any
// thread at any time, also after the run.
class LiveRun {
 public:
  LiveRun(std::size_t sources, std::size_t stages, std::size_t workers,
          std::size_t channel_batches);

  std::size_t sources() const { return sources_.size(); }
  std::size_t stages() const { return stages_.size(); }
  std::size_t workers() const { return workers_.size(); }
  // Batches that each channel owns.
  std::size_t channel_batches() const { return channel_batches_; }

  SourceFigures& source(std::size_t i) { return sources_[i]; }
  StageFigures& stage(std::size_t i) { return stages_[i]; }
  WorkerFigures& worker(std::size_t i) { return workers_[i]; }
  ChannelFigures& channel(std::size_t source, std::size_t stage) {
    return channels_[source * stages() + stage];
  }
  const SourceFigures& source(std::size_t i) const { return sources_[i]; }
  const StageFigures& stage(std::size_t i) const { return stages_[i]; }
  const WorkerFigures& worker(std::size_t i) const { return workers_[i]; }
  const ChannelFigures& channel(std::size_t source, std::size_t stage) const {
    return channels_[source * stages() + stage];
  }

  RowTotals totals() const;
  // The highest of all sources; kNoWatermark if there is none.
  EventTime highest_event_time() const;
  // The lowest of all stages: no result up to it is still to come.
  EventTime watermark() const;

 private:
  std::vector<SourceFigures> sources_;
  std::vector<StageFigures> stages_;
  std::vector<ChannelFigures> channels_;
  std::vector<WorkerFigures> workers_;
  std::size_t channel_batches_;
};

// What is running now, and what ran before it. Thread-safe.
class LiveRuns {
 public:
  // Takes the place of the run before, whose rows stay in earlier().
  std::shared_ptr<LiveRun> begin(std::size_t sources, std::size_t stages, std::size_t workers,
                                 std::size_t channel_batches);

  struct State {
    std::shared_ptr<const LiveRun> run;  // null before the first begins
    RowTotals earlier;
    std::uint64_t runs = 0;  // begun
  };
  State state() const;

 private:
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace tidemark
