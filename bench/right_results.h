// Figures of a benchmark whose results are wrong are worth nothing.
#pragma once

#include <benchmark/benchmark.h>

namespace tidemark::bench {

// Whether `results` are those of the hand-written loop; otherwise the benchmark reports an error
// and no figure.
template <typename Results>
bool are_right(benchmark::State& state, const Results& results, const Results& of_the_loop) {
  if (results == of_the_loop) return true;
  state.SkipWithError("the results are not those of the hand-written loop");
  return false;
}

}  // namespace tidemark::bench
