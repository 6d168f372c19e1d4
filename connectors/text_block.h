// 64 bytes of text at once, as masks with a bit for each byte.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tidemark {

inline constexpr std::size_t kTextBlock = 64;

// Bit i is set where byte i of the block is `byte`. All 64 bytes are read.
#if defined(__AVX2__)
inline std::uint64_t bytes_equal_to(const char* block, char byte) {
  const __m256i wanted = _mm256_set1_epi8(byte);
  const auto half = [wanted](const char* bytes) {
    const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(loaded, wanted)));
  };
  return half(block) | std::uint64_t{half(block + 32)} << 32;
}
#elif defined(__SSE2__)
inline std::uint64_t bytes_equal_to(const char* block, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  std::uint64_t bits = 0;
  for (int part = 3; part >= 0; --part) {
    const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + part * 16));
    bits =
        bits << 16 | static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(loaded, wanted)));
  }
  return bits;
}
#else
inline std::uint64_t bytes_equal_to(const char* block, char byte) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kTextBlock; ++i) bits |= std::uint64_t{block[i] == byte} << i;
  return bits;
}
#endif

// Bit i of the result is the parity of bits 0 to i: between an opening quote and its closing one it
// is set (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019).
inline std::uint64_t parity_so_far(std::uint64_t bits) {
  for (int distance = 1; distance < 64; distance *= 2) bits ^= bits << distance;
  return bits;
}

}  // namespace tidemark
