// JSON that Google Benchmark programs write with --benchmark_format=json or --benchmark_out.
#pragma once

#include "tidemark/perf/json_document.h"
#include "tidemark/perf/measurement.h"

namespace tidemark {

// Whether the document says that it is one.
bool is_google_benchmark(const JsonDocument::Json& root);

// One figure for each benchmark's time and each of its user counters; repetitions are its samples.
// Rows of complexity fits (BigO, RMS) are no figures. A benchmark of which only aggregates were
// written has a summary instead of samples.
Expected<Measurement> read_google_benchmark(const JsonDocument& document, BenchmarkTime time);

}  // namespace tidemark
