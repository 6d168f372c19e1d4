// Buckets of numbers that are nearly equal, for quantiles from counts.
#pragma once

#include <cstdint>

namespace tidemark {

// The buckets of DDSketch (Masson, Rim and Lee 2019): those of positive numbers are (g^(i-1), g^i]
// with g = 1.01 / 0.99, those of negative ones their mirror, and 0 (with all below 1e-300), each
// infinity and NaN have one each. Numbers are within 1 % of their bucket's value. Bucket keys are
// in the order of the numbers; NaN is greater than all.
std::int64_t quantile_bucket(double value);

// The number that stands for a bucket.
double quantile_bucket_value(std::int64_t bucket);

}  // namespace tidemark
