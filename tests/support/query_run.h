// Runs a query over rows in memory and hands back everything that came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/collecting_sink.h"
#include "support/test_rows.h"
#include "support/vector_partition.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

struct RunSettings {
  PipelineOptions pipeline;
  Pace pace;
  // A sink for each core instead of one sink task.
  bool sink_per_worker = false;

  std::string to_text() const;
};

struct RunOutcome {
  // In canonical order.
  std::vector<ResultRow> results;
  std::vector<CollectingLateSink::LateRow> late;
  std::vector<std::string> faults;
  RunReport report;

  std::vector<Row> late_rows() const;
};

// Each element of `partitions` becomes one VectorPartition.
RunOutcome run_query(const WindowQuery& query, const std::vector<std::vector<Row>>& partitions,
                     const RunSettings& settings);

}  // namespace tidemark::test_support
