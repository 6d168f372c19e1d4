#include "tidemark/operators/pipeline.h"

#include <algorithm>
#include <stdexcept>

#include "tidemark/operators/live_run.h"
#include "tidemark/operators/plan.h"
#include "tidemark/operators/sink_task.h"
#include "tidemark/operators/source_task.h"
#include "tidemark/operators/window_task.h"
#include "tidemark/runtime/channel.h"

namespace tidemark {

namespace {

// The stages of one run: sources -> window stages -> sink, with a channel from every task to every
// task of the next stage.
class Pipeline {
 public:
  Pipeline(const WindowQuery& query, std::vector<std::unique_ptr<SourcePartition>>& partitions,
           const ResultSinks& sinks, LateSink* late, const PipelineOptions& options)
      : query_(query),
        plans_(plan_query(query, options.stream, Predictions::kToChoose)),
        options_(options),
        wall_clock_(options.wall_clock ? options.wall_clock : WallClock(system_wall_clock)),
        sinks_are_shared_(sinks.shared != nullptr),
        has_sink_task_(sinks_are_shared_ || late != nullptr),
        live_(begin_live(partitions.size())),
        scheduler_(scheduler_options()),
        window_channels_(options.cores),
        source_channels_(partitions.size()) {
    make_window_inboxes(partitions.size());
    if (has_sink_task_) sink_inbox_ = std::make_unique<Inbox>(scheduler_.parker(options_.cores));
    make_sources(partitions);
    make_windows(sinks, late);
    if (has_sink_task_) make_sink(sinks, late);
  }

  RunReport run() {
    const Clock::time_point start = Clock::now();
    scheduler_.run();
    RunReport report;
    report.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    report.delay = query_.delay;
    for (const auto& source : sources_) source->report(report);
    report.no_local_aggregation = refuses_local_aggregation(query_, plans_).value_or("");
    if (report.silent_partitions.size() == sources_.size()) report.silent_partitions.clear();
    report.watermark = kEndOfTime;
    for (const auto& window : windows_) {
      window->report(report);
      report.watermark = std::min(report.watermark, window->watermark());
      report.cancelled |= window->cancelled();
    }
    for (const WindowPlan& plan : plans_) {
      report.strategies.push_back(plan.strategy);
      report.state.state_bytes_per_entry =
          std::max<std::uint64_t>(report.state.state_bytes_per_entry, plan.state_size.all);
    }
    // Results that workers keep to themselves are seen together by nobody.
    report.windows_fired = sinks_are_shared_ ? sink_->windows_fired() : report.state.windows_fired;
    report.cores = options_.cores;
    report.workers = scheduler_.metrics();
    return report;
  }

 private:
  std::shared_ptr<LiveRun> begin_live(std::size_t sources) const {
    if (options_.live == nullptr) return nullptr;
    return options_.live->begin(sources, options_.cores, options_.cores + (has_sink_task_ ? 1 : 0),
                                options_.channel_batches);
  }

  // The sink task has a worker of its own beside the cores: it may block in a write.
  SchedulerOptions scheduler_options() const {
    SchedulerOptions scheduler;
    scheduler.cores = options_.cores + (has_sink_task_ ? 1 : 0);
    scheduler.cpus = options_.cpus;
    scheduler.ladder = options_.ladder;
    scheduler.random_yields = options_.random_yields;
    for (std::size_t i = 0; live_ && i < live_->workers(); ++i) {
      scheduler.figures.push_back(&live_->worker(i));
    }
    return scheduler;
  }

  std::size_t core_of_source(std::size_t source) const { return source % options_.cores; }

  Channel* connect(Inbox& inbox, std::size_t index, Parker& producer, const Schema& schema,
                   ChannelFigures* figures = nullptr) {
    channels_.push_back(std::make_unique<Channel>(inbox, static_cast<std::uint32_t>(index),
                                                  producer, schema, options_.batch_rows,
                                                  options_.channel_batches, figures));
    return channels_.back().get();
  }

  void make_window_inboxes(std::size_t sources) {
    const Schema schema = query_.row_schema();
    for (std::size_t window = 0; window < options_.cores; ++window) {
      window_inboxes_.push_back(std::make_unique<Inbox>(scheduler_.parker(window)));
      for (std::size_t source = 0; source < sources; ++source) {
        Channel* channel =
            connect(*window_inboxes_.back(), source, scheduler_.parker(core_of_source(source)),
                    schema, live_ ? &live_->channel(source, window) : nullptr);
        window_channels_[window].push_back(channel);
        source_channels_[source].push_back(channel);
      }
    }
  }

  void make_drift_limit(std::size_t sources) {
    if (!query_.max_drift || sources == 1) return;
    std::vector<Parker*> parkers;
    for (std::size_t i = 0; i < sources; ++i) {
      parkers.push_back(&scheduler_.parker(core_of_source(i)));
    }
    drift_ = std::make_unique<WatermarkDrift>(*query_.max_drift, std::move(parkers));
  }

  // With one core rows change hands without a copy, so there is nothing to save.
  std::unique_ptr<LocalPanes> make_local_panes() const {
    const LocalAggregation choice = options_.local_aggregation;
    const bool wanted = choice == LocalAggregation::kWhenItPays
                            ? options_.cores > 1
                            : choice != LocalAggregation::kNever;
    if (!wanted || refuses_local_aggregation(query_, plans_)) return nullptr;
    return std::make_unique<LocalPanes>(query_, plans_.front(), choice);
  }

  void make_sources(std::vector<std::unique_ptr<SourcePartition>>& partitions) {
    make_drift_limit(partitions.size());
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const std::size_t core = core_of_source(i);
      sources_.push_back(std::make_unique<SourceTask>(i, query_, *partitions[i],
                                                      source_channels_[i], scheduler_.parker(core),
                                                      drift_.get(), options_, make_local_panes()));
      if (live_) sources_.back()->publish_to(live_->source(i));
      scheduler_.add(core, *sources_.back());
    }
  }

  void make_windows(const ResultSinks& sinks, LateSink* late) {
    const Schema results = query_.result_schema();
    for (std::size_t i = 0; i < options_.cores; ++i) {
      WindowTaskOutputs outputs;
      if (sinks.shared != nullptr) {
        outputs.results = connect(*sink_inbox_, i, scheduler_.parker(i), results);
        result_channels_.push_back(outputs.results);
      } else {
        outputs.own_sink = sinks.per_worker[i];
      }
      if (late != nullptr) {
        const std::size_t index = i + (sinks.shared != nullptr ? options_.cores : 0);
        outputs.late = connect(*sink_inbox_, index, scheduler_.parker(i), late_schema(query_));
        late_channels_.push_back(outputs.late);
      }
      windows_.push_back(std::make_unique<WindowTask>(
          i, query_, plans_, *window_inboxes_[i], window_channels_[i], outputs, options_.batch_rows,
          wall_clock_, options_.key_collection));
      if (live_) windows_.back()->publish_to(*live_, i);
      scheduler_.add(i, *windows_.back());
    }
  }

  void make_sink(const ResultSinks& sinks, LateSink* late) {
    sink_ = std::make_unique<SinkTask>(*sink_inbox_, result_channels_, late_channels_, sinks.shared,
                                       late, FiredWindows(query_.lateness));
    scheduler_.add(options_.cores, *sink_);
  }

  const WindowQuery& query_;
  std::vector<WindowPlan> plans_;
  const PipelineOptions& options_;
  WallClock wall_clock_;
  bool sinks_are_shared_;
  bool has_sink_task_;
  std::shared_ptr<LiveRun> live_;  // may be null
  Scheduler scheduler_;
  std::vector<std::unique_ptr<Inbox>> window_inboxes_;
  std::unique_ptr<Inbox> sink_inbox_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::vector<Channel*>> window_channels_;  // by window stage, then source
  std::vector<std::vector<Channel*>> source_channels_;  // by source, then window stage
  std::vector<Channel*> result_channels_;
  std::vector<Channel*> late_channels_;
  std::unique_ptr<WatermarkDrift> drift_;
  std::vector<std::unique_ptr<SourceTask>> sources_;
  std::vector<std::unique_ptr<WindowTask>> windows_;
  std::unique_ptr<SinkTask> sink_;
};

void check(const WindowQuery& query, std::size_t partitions, const ResultSinks& sinks,
           const PipelineOptions& options) {
  if (auto valid = validate(query); !valid) throw std::invalid_argument(valid.error().message);
  if (partitions == 0) throw std::invalid_argument("a pipeline needs at least one partition");
  if (options.cores == 0) throw std::invalid_argument("a pipeline needs at least one core");
  if (options.channel_batches == 0) {
    throw std::invalid_argument("a channel needs at least one batch");
  }
  if ((sinks.shared == nullptr) == sinks.per_worker.empty()) {
    throw std::invalid_argument("results go either to one shared sink or to one sink per core");
  }
  if (sinks.shared == nullptr && sinks.per_worker.size() != options.cores) {
    throw std::invalid_argument("one sink per core is needed");
  }
}

}  // namespace

RunReport run_pipeline(const WindowQuery& query,
                       std::vector<std::unique_ptr<SourcePartition>>& partitions,
                       const ResultSinks& sinks, LateSink* late, const PipelineOptions& options) {
  check(query, partitions.size(), sinks, options);
  Pipeline pipeline(query, partitions, sinks, late, options);
  return pipeline.run();
}

}  // namespace tidemark
