// How many instructions each job of a suite takes.
#pragma once

#include "tidemark/perf/bench_suite.h"

namespace tidemark {

// What `--suite-job` of the command takes for none.
inline constexpr const char* kNoSuiteJob = "none";

// Fills in the instructions of every entry, of one pass each, and what counted them: the CPU's
// counter where there is one, else valgrind, under which this program runs each job again, and once
// no job, to take its own start away; a second or two a job. Without either, and where one fails,
// entries stay without, and instructions_by says why. A cancelled count leaves the rest out. Of
// `options`, repeats do not matter.
void count_suite_instructions(SuiteResult& result, const SuiteOptions& options);

}  // namespace tidemark
