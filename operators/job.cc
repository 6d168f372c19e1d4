#include "tidemark/operators/job.h"

#include <fmt/format.h>

#include <stdexcept>

namespace tidemark {

namespace {

void check_complete(const JobDescription& job) {
  if (!job.has_source) {
    throw std::invalid_argument("the job has no source: start it with job.source(rows)");
  }
  if (job.partitions == nullptr) {
    throw std::invalid_argument(
        "the job computes nothing: go on from its source with event_time(...), window(...) and "
        "aggregate(...)");
  }
  if (job.sinks.empty()) {
    throw std::invalid_argument(
        "the job has no sink for its results: end it with sink(print()) or sink(function)");
  }
}

void check_names(const WindowQuery& query) {
  const Schema columns = query.result_schema();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (columns[i].name != columns[j].name) continue;
      throw std::invalid_argument(fmt::format(
          "two columns of the results are called '{}': name one of them differently with as(...)",
          columns[i].name));
    }
  }
}

// The sinks of one run, and what hands results to all of them.
template <typename Sink, typename FanOut, typename Factory>
class RunSinks {
 public:
  RunSinks(const std::vector<Factory>& factories, const ResultShape& shape)
      : fan_out_(make(factories, shape)) {}

  Sink* all() {
    if (sinks_.empty()) return nullptr;
    return sinks_.size() == 1 ? sinks_.front().get() : &fan_out_;
  }

 private:
  std::vector<Sink*> make(const std::vector<Factory>& factories, const ResultShape& shape) {
    std::vector<Sink*> pointers;
    for (const Factory& factory : factories) {
      sinks_.push_back(factory(shape));
      pointers.push_back(sinks_.back().get());
    }
    return pointers;
  }

  std::vector<std::unique_ptr<Sink>> sinks_;
  FanOut fan_out_;
};

}  // namespace

void Job::claim_source() {
  if (description_->has_source) {
    throw std::invalid_argument(
        "a job has one source: give several ranges to parallel_source, or make a job for each");
  }
  description_->has_source = true;
}

Report Job::run(const RunOptions& options) {
  const JobDescription& job = *description_;
  check_complete(job);
  if (auto valid = validate(job.query); !valid) throw std::invalid_argument(valid.error().message);
  check_names(job.query);
  const ResultShape shape{job.query, job.unsigned_keys};
  RunSinks<ResultSink, SinkFanOut, ResultSinkFactory> results(job.sinks, shape);
  RunSinks<LateSink, LateSinkFanOut, LateSinkFactory> late(job.late_sinks, shape);
  auto partitions = job.partitions->open();
  return run_pipeline(job.query, partitions, {.shared = results.all(), .per_worker = {}},
                      late.all(), options);
}

}  // namespace tidemark
