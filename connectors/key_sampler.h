// Which keys the rows of a generated stream have, and how unevenly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidemark/runtime/error.h"

namespace tidemark {

enum class SkewKind : std::uint8_t {
  kUniform,
  kZipf,  // key k has weight 1 / (k + 1)^parameter
  kHot,   // key 0 has the fraction `parameter` of all rows, the other keys share the rest evenly
};

struct Skew {
  SkewKind kind = SkewKind::kUniform;
  double parameter = 0;

  friend bool operator==(const Skew&, const Skew&) = default;
};

// From `uniform`, `zipf:1.1` (exponent above 0, at most 10) or `hot:0.5` (fraction from 0 to 1).
Expected<Skew> parse_skew(std::string_view text);
// The same spelling back.
std::string to_string(const Skew& skew);

// Turns random numbers into keys in [0, keys). A key depends on its random number alone. Constant
// memory: Zipf is drawn by rejection-inversion (W. Hoermann, G. Derflinger: Rejection-inversion to
// generate variates from monotone discrete distributions, 1996), tens of nanoseconds a key.
class KeySampler {
 public:
  // `keys` is at least 1.
  KeySampler(std::uint64_t keys, Skew skew);

  std::int64_t key(std::uint64_t random) const;
  // Writes one key for each random number.
  void fill(std::span<const std::uint64_t> random, std::int64_t* keys) const;

 private:
  std::int64_t hot_key(std::uint64_t random) const;
  std::int64_t zipf_key(std::uint64_t random) const;
  double zipf_integral(double x) const;
  double zipf_integral_inverse(double x) const;
  double zipf_weight(double x) const;

  std::uint64_t keys_;
  Skew skew_;
  std::uint64_t hot_below_ = 0;
  double integral_first_ = 0;
  double integral_last_ = 0;
  double squeeze_ = 0;
};

}  // namespace tidemark
