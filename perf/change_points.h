// Where a series of figures changes level: slow drift and steps that no single comparison shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

struct ChangePointOptions {
  double alpha = 0.01;            // of the permutation test
  double smallest_change = 0.02;  // of the median, as a fraction; smaller ones are left out
  std::size_t shortest = 4;       // values on each side of a change point, at least 2
  std::size_t permutations = 999;
  std::uint64_t seed = 1;  // the same seed, the same answer, on every machine
};

struct ChangePoint {
  std::size_t index = 0;  // the first value of the new level
  double before = 0;      // median of the level before, and of the new one
  double after = 0;
  double p_value = 1;
};

// Change points of `values` in their order, by E-divisive (Matteson and James, A nonparametric
// approach for multiple change point analysis of multivariate data, 2014): each segment is cut
// where the energy distance of its two parts is largest, as long as that beats permutations of the
// values within segments. The second part reaches to the segment's end, as in Daly et al., The use
// of change point detection to identify software performance regressions (2020). Values are finite.
// Costs O(permutations * values^2) for each change point.
std::vector<ChangePoint> find_change_points(const std::vector<double>& values,
                                            const ChangePointOptions& options);

}  // namespace tidemark
