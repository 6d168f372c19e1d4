#include "tidemark/connectors/key_sampler.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "tidemark/connectors/row_hash.h"

namespace tidemark {

namespace {

constexpr double kLargestExponent = 10;

// Not a number where `text` is none.
double parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = fast_float::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? value : std::numeric_limits<double>::quiet_NaN();
}

// log(1 + x) / x and (exp(x) - 1) / x, also where x is too small to divide by.
double log1p_ratio(double x) {
  return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x * (0.5 - x * (1.0 / 3 - 0.25 * x));
}
double expm1_ratio(double x) {
  return std::abs(x) > 1e-8 ? std::expm1(x) / x
                            : 1 + x * 0.5 * (1 + x * (1.0 / 3) * (1 + 0.25 * x));
}

}  // namespace

Expected<Skew> parse_skew(std::string_view text) {
  if (text == "uniform") return Skew{};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const double number = colon == std::string_view::npos ? std::numeric_limits<double>::quiet_NaN()
                                                        : parse_number(text.substr(colon + 1));
  if (kind == "zipf" && number > 0 && number <= kLargestExponent) {
    return Skew{SkewKind::kZipf, number};
  }
  if (kind == "hot" && number >= 0 && number <= 1) return Skew{SkewKind::kHot, number};
  return make_error(fmt::format(
      "skew must be uniform, zipf:S with 0 < S <= 10, or hot:F with F from 0 to 1, not {:?}",
      text));
}

std::string to_string(const Skew& skew) {
  if (skew.kind == SkewKind::kUniform) return "uniform";
  return fmt::format("{}:{}", skew.kind == SkewKind::kZipf ? "zipf" : "hot", skew.parameter);
}

KeySampler::KeySampler(std::uint64_t keys, Skew skew) : keys_(std::max<std::uint64_t>(keys, 1)) {
  skew_ = skew;
  if (keys_ == 1) skew_ = Skew{};
  if (skew_.kind == SkewKind::kHot) {
    // 2^64 itself does not fit; a fraction of 1 misses the other keys by one draw in 2^64.
    hot_below_ =
        skew_.parameter >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(skew_.parameter * 0x1.0p64);
  }
  if (skew_.kind == SkewKind::kZipf) {
    integral_first_ = zipf_integral(1.5) - 1;
    integral_last_ = zipf_integral(static_cast<double>(keys_) + 0.5);
    squeeze_ = 2 - zipf_integral_inverse(zipf_integral(2.5) - zipf_weight(2));
  }
}

double KeySampler::zipf_weight(double x) const { return std::exp(-skew_.parameter * std::log(x)); }

double KeySampler::zipf_integral(double x) const {
  const double log_x = std::log(x);
  return expm1_ratio((1 - skew_.parameter) * log_x) * log_x;
}

double KeySampler::zipf_integral_inverse(double x) const {
  const double t = std::max(x * (1 - skew_.parameter), -1.0);
  return std::exp(log1p_ratio(t) * x);
}

std::int64_t KeySampler::zipf_key(std::uint64_t random) const {
  const auto last = static_cast<double>(keys_);
  while (true) {
    const double u = integral_last_ + unit_interval(random) * (integral_first_ - integral_last_);
    const double x = zipf_integral_inverse(u);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, last);
    if (rank - x <= squeeze_ || u >= zipf_integral(rank + 0.5) - zipf_weight(rank)) {
      return static_cast<std::int64_t>(rank) - 1;
    }
    random = splitmix64(random);
  }
}

std::int64_t KeySampler::hot_key(std::uint64_t random) const {
  if (random < hot_below_) return 0;
  return static_cast<std::int64_t>(1 + below(splitmix64(random), keys_ - 1));
}

std::int64_t KeySampler::key(std::uint64_t random) const {
  if (skew_.kind == SkewKind::kZipf) return zipf_key(random);
  if (skew_.kind == SkewKind::kHot) return hot_key(random);
  return static_cast<std::int64_t>(below(random, keys_));
}

void KeySampler::fill(std::span<const std::uint64_t> random, std::int64_t* keys) const {
  const std::size_t count = random.size();
  if (skew_.kind == SkewKind::kZipf) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = zipf_key(random[i]);
  } else if (skew_.kind == SkewKind::kHot) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = hot_key(random[i]);
  } else {
    const std::uint64_t bound = keys_;
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = static_cast<std::int64_t>(below(random[i], bound));
    }
  }
}

}  // namespace tidemark
