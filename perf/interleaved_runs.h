// Measures two command lines in turn, so that what else goes on on the machine meets both alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tidemark/perf/measurement.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark {

struct InterleavedOptions {
  // Given to `sh -c`. `{json}` in it stands for the file that it is to write its JSON to; without
  // it the JSON is read from its standard output.
  std::string base_command;
  std::string next_command;
  std::size_t runs = 10;  // of each command
  // A run takes this many turns, each of which starts both commands once. What else goes on on a
  // machine comes and goes within seconds: short commands that take many turns meet more of the
  // same of it than long ones that take few.
  std::size_t turns = 1;
  // Measures the whole process instead of reading JSON: wall time, CPU time and peak memory.
  bool whole_process = false;
  bool instructions = false;  // counts them once for each command
  BenchmarkTime time = BenchmarkTime::kReal;
  std::uint64_t seed = 1;  // of which goes first in each pair
  const Cancellation* cancellation = nullptr;
  // Told before each run, with how many are done and how many there will be; may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

struct InterleavedRuns {
  // A sample of each figure for each turn: the median of the repetitions in it, which share what
  // happened meanwhile. Sample i of both was measured in the same turn.
  Measurement base;
  Measurement next;
  bool cancelled = false;
};

// Runs each command once without measuring, for caches and page tables, then `runs` times `turns`
// pairs. Refuses
// a command that fails or writes no measurement.
Expected<InterleavedRuns> run_interleaved(const InterleavedOptions& options);

}  // namespace tidemark
