// A sink for jobs of the typed face that prints results.
#pragma once

#include <memory>

#include "tidemark/connectors/result_writer.h"
#include "tidemark/operators/job_description.h"
#include "tidemark/operators/sink.h"

namespace tidemark {

// Made by print().
struct Print {
  ResultFormat format;

  std::unique_ptr<ResultSink> make_sink(const ResultShape& shape) const;
};

// Results on standard output, ordered by window end, window start, window and key, with times in
// ISO 8601, UTC. As a table by default; its widths come from the first rows, which wait for it.
inline Print print(ResultFormat format = ResultFormat::kTable) { return {format}; }

}  // namespace tidemark
