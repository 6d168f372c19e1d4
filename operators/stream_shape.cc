#include "tidemark/operators/stream_shape.h"

#include <algorithm>
#include <cmath>

namespace tidemark {

namespace {

// How many of `keys` keys with the share `share` each are among `rows` rows.
double present(double keys, double share, double rows) {
  if (share >= 1) return rows > 0 ? keys : 0;
  return -keys * std::expm1(rows * std::log1p(-share));
}

// Calls visit(keys, weight) for blocks of keys that have about the same weight.
template <typename Visit>
void for_each_zipf_block(double keys, double exponent, const Visit& visit) {
  constexpr double kOneByOne = 1000;
  constexpr double kBlockShare = 0.01;
  double first = 1;
  while (first <= keys) {
    const double wanted = first <= kOneByOne ? 1 : std::floor(first * kBlockShare);
    const double size = std::min(wanted, keys - first + 1);
    visit(size, std::pow(first + (size - 1) / 2, -exponent));
    first += size;
  }
}

double expected_zipf_keys(double keys, double exponent, double rows) {
  double weights = 0;
  for_each_zipf_block(keys, exponent, [&](double n, double weight) { weights += n * weight; });
  double expected = 0;
  for_each_zipf_block(keys, exponent, [&](double n, double weight) {
    expected += present(n, weight / weights, rows);
  });
  return expected;
}

// Of a whole number of rows.
double expected_keys_of(const StreamShape& stream, double rows) {
  const auto keys = static_cast<double>(stream.keys);
  switch (stream.spread) {
    case KeySpread::kZipf:
      return expected_zipf_keys(keys, stream.parameter, rows);
    case KeySpread::kHot:
      if (keys == 1) break;
      return present(1, stream.parameter, rows) +
             present(keys - 1, (1 - stream.parameter) / (keys - 1), rows);
    case KeySpread::kUniform:
      break;
  }
  return present(keys, 1 / keys, rows);
}

}  // namespace

// Of a fraction there is one row more or less: of half a row, one in every other case.
double expected_keys(const StreamShape& stream, double rows) {
  constexpr double kManyRows = 1000;
  const double whole = std::floor(rows);
  if (whole == rows || rows > kManyRows) return expected_keys_of(stream, rows);
  const double fewer = expected_keys_of(stream, whole);
  return fewer + (rows - whole) * (expected_keys_of(stream, whole + 1) - fewer);
}

void for_each_share(const StreamShape& stream,
                    const std::function<void(double keys, double share)>& visit) {
  const auto keys = static_cast<double>(stream.keys);
  if (stream.spread == KeySpread::kZipf) {
    double weights = 0;
    for_each_zipf_block(keys, stream.parameter,
                        [&](double n, double weight) { weights += n * weight; });
    for_each_zipf_block(keys, stream.parameter,
                        [&](double n, double weight) { visit(n, weight / weights); });
  } else if (stream.spread == KeySpread::kHot && keys > 1) {
    visit(1, stream.parameter);
    visit(keys - 1, (1 - stream.parameter) / (keys - 1));
  } else {
    visit(keys, 1 / keys);
  }
}

}  // namespace tidemark
