// What is known of a stream before it runs, as far as the cost of windows over it depends on it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tidemark {

// How rows are spread over keys.
enum class KeySpread : std::uint8_t {
  kUniform,
  kZipf,  // the k-th key, from 1 on, has weight 1 / k^parameter
  kHot,   // one key has the fraction `parameter` of all rows, the others share the rest evenly
};

struct StreamShape {
  std::uint64_t keys = 1;           // at least 1
  double rows_per_second = 10'000;  // of event time, above 0
  KeySpread spread = KeySpread::kUniform;
  double parameter = 0;
  // Rows lie up to so many ms before their turn, evenly.
  std::int64_t disorder = 0;
  // Of each value column: how many different values there are, all of them as likely; 0 where that
  // is not known, as of columns that are not here.
  std::vector<double> different_values{};
  static constexpr double kAllDifferent = std::numeric_limits<double>::infinity();
};

// How many different keys `rows` rows, which may be a mean, have in the mean, if each draws its key
// by itself. Of Zipf keys the first thousand are counted one by one and the others in blocks: a
// millisecond at most.
double expected_keys(const StreamShape& stream, double rows);

// Calls visit(keys, share) for blocks of keys that have about the same share of the rows each.
void for_each_share(const StreamShape& stream,
                    const std::function<void(double keys, double share)>& visit);

}  // namespace tidemark
