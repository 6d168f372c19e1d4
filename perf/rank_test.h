// Whether two sets of samples differ, by their ranks alone: no assumption about how noise is
// distributed, and one outlier counts no more than the largest rank.
#pragma once

#include <cstddef>
#include <vector>

namespace tidemark {

// Two-sided p-value of the Mann-Whitney U test (Mann and Whitney, 1947) that both sets come from
// the same distribution. With at most kExactSamples samples in all it is exact, ties included: the
// share of all ways to deal out the pooled midranks whose rank sum lies at least as far from the
// middle. Above, the normal approximation with continuity and tie correction (Lehmann,
// Nonparametrics, 1975, section 1.4 and appendix 4). 1 if a set is empty or all samples are equal.
// Samples are finite. Costs O(samples^4) at most where exact, about 3 million steps.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);

// The smallest p-value that sets of these sizes can have, when no sample of one is above one of the
// other.
double smallest_mann_whitney_p(std::size_t a, std::size_t b);

// Two-sided p-value of the Wilcoxon signed-rank test (Wilcoxon, 1945) that differences of pairs lie
// evenly around 0. Differences of 0 are left out. Exact for up to kExactSamples of them, ties
// included; above, the tie-corrected normal approximation. 1 if none is left.
double signed_rank_p(const std::vector<double>& differences);

// The smallest p-value that this many pairs can have.
double smallest_signed_rank_p(std::size_t pairs);

inline constexpr std::size_t kExactSamples = 50;

// P-values adjusted so that the chance of one or more alarms among all of them is at most what a
// single one promises (Holm, 1979). In the order given; each at most 1.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

// Two-sided p-value of Welch's test (Welch, 1947), for when only mean, standard deviation and count
// of each set are known. Counts are at least 2; with both deviations 0 it is 0 or 1.
double welch_p(double mean_a, double deviation_a, std::size_t count_a, double mean_b,
               double deviation_b, std::size_t count_b);

// The middle sample, or the mean of the middle two. NaN if there is none.
double median_of(std::vector<double> samples);

// Median of the pairwise means of the samples and of the samples themselves (Hodges and Lehmann,
// 1963): where noise lies evenly around a middle it finds that middle with less error than the
// median does. NaN if there is none. Costs O(samples^2).
double hodges_lehmann(const std::vector<double>& samples);

}  // namespace tidemark
