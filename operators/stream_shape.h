// What is known of a stream before it runs, as far as the cost of windows over it depends on it.
#pragma once

#include <cstdint>

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
};

// How many different keys `rows` rows, which may be a mean, have in the mean, if each draws its key
// by itself. Of Zipf keys the first thousand are counted one by one and the others in blocks: a
// millisecond at most.
double expected_keys(const StreamShape& stream, double rows);

}  // namespace tidemark
