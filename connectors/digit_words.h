// Short numbers out of text, eight digits at a time in a 64-bit word.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tidemark {

// The value of eight bytes, the first in memory the highest, or false if one is no digit: pairs,
// then fours, then all are joined by multiplication (Langdale and Lemire, 2019). Little-endian
// words only.
inline bool read_eight_digits(std::uint64_t bytes, std::int64_t& value) {
  constexpr std::uint64_t kHighHalves = 0xF0F0F0F0F0F0F0F0;
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  const std::uint64_t above_nine = bytes + 0x0606060606060606;
  if ((bytes & kHighHalves) != kZeros || (above_nine & kHighHalves) != kZeros) return false;
  bytes -= kZeros;
  bytes = bytes * 10 + (bytes >> 8);
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  const std::uint64_t joined =
      (bytes & kPairs) * 0x000F424000000064 + (bytes >> 16 & kPairs) * 0x0000271000000001;
  value = static_cast<std::int64_t>(joined >> 32);
  return true;
}

inline std::uint64_t load_eight_bytes(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof(bytes));
  return bytes;
}

// The `count` bytes before `end`, 1 to 8, behind as many zeros as make it eight. The eight bytes
// before `end` are read.
inline std::uint64_t load_padded(const char* end, std::size_t count) {
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t kept = all << (64 - 8 * count);
  return (load_eight_bytes(end - 8) & kept) | (kZeros & ~kept);
}

// Bytes before the end of a text that the readers below may look at.
inline constexpr std::size_t kDigitWordsReach = 16;

// 1 to 16 digits and nothing else. False says only that the text is not of that shape. The
// kDigitWordsReach bytes before `end` must be there.
inline bool read_short_digits(const char* begin, const char* end, std::int64_t& value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const std::size_t size = static_cast<std::size_t>(end - begin);
  if (size - 1 < 8) return read_eight_digits(load_padded(end, size), value);
  if (size - 1 >= 16) return false;
  std::int64_t high = 0;
  if (!read_eight_digits(load_padded(end - 8, size - 8), high)) return false;
  if (!read_eight_digits(load_eight_bytes(end - 8), value)) return false;
  value += high * 100'000'000;
  return true;
}

// As read_short_digits(), with an optional minus in front.
inline bool read_short_integer(const char* begin, const char* end, std::int64_t& value) {
  if (begin == end) return false;
  if (*begin != '-') return read_short_digits(begin, end, value);
  if (!read_short_digits(begin + 1, end, value)) return false;
  value = -value;
  return true;
}

// Up to eight digits with or without one point among them, and an optional minus in front; all the
// point's neighbours count as one text of at most eight bytes. The value is the nearest double, as
// digits and power of ten are exact and their quotient is rounded once (Clinger, 1990). False says
// only that the text is not of that shape. The kDigitWordsReach bytes before `end` must be there.
inline bool read_short_decimal(const char* begin, const char* end, double& value) {
  constexpr std::array<double, 8> kPowersOfTen{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  if constexpr (std::endian::native != std::endian::little) return false;
  if (begin == end) return false;
  const bool negative = *begin == '-';
  const std::size_t size = static_cast<std::size_t>(end - begin) - (negative ? 1 : 0);
  if (size - 1 >= 8) return false;
  std::uint64_t bytes = load_padded(end, size);
  // The lowest byte that is a point has its high bit set here; bytes above it may too.
  const std::uint64_t zero_if_point = bytes ^ 0x2E2E2E2E2E2E2E2E;
  const std::uint64_t points =
      (zero_if_point - 0x0101010101010101) & ~zero_if_point & 0x8080808080808080;
  std::size_t decimals = 0;
  if (points != 0) {
    if (size == 1) return false;
    const int point = std::countr_zero(points) - 7;  // in bits
    decimals = static_cast<std::size_t>(7 - point / 8);
    // Digits before the point move up over it, and a zero comes in below.
    const std::uint64_t before = (std::uint64_t{1} << point) - 1;
    const std::uint64_t behind = point == 56 ? 0 : ~std::uint64_t{0} << (point + 8);
    bytes = (bytes & before) << 8 | (bytes & behind) | 0x30;
  }
  std::int64_t digits = 0;
  if (!read_eight_digits(bytes, digits)) return false;
  const double magnitude = static_cast<double>(digits) / kPowersOfTen[decimals];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace tidemark
