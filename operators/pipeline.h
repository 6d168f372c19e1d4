// Builds the stages of a query, runs them, and reports what happened.
#pragma once

#include <memory>
#include <vector>

#include "tidemark/operators/pipeline_options.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/operators/sink.h"
#include "tidemark/operators/source.h"

namespace tidemark {

// Results go through one sink task (`shared`), or are consumed by each window stage on its own core
// (`per_worker`, one sink per core, for checksums and latency recording). Exactly one is set.
struct ResultSinks {
  ResultSink* shared = nullptr;
  std::vector<ResultSink*> per_worker;
};

// Runs `query` over `partitions` until all end or cancellation. `late` may be null. Throws
// std::invalid_argument if validate(query) refuses, and what a partition or sink throws.
RunReport run_pipeline(const WindowQuery& query,
                       std::vector<std::unique_ptr<SourcePartition>>& partitions,
                       const ResultSinks& sinks, LateSink* late, const PipelineOptions& options);

}  // namespace tidemark
