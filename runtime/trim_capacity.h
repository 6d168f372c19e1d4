// Gives memory back that a container had use for once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tidemark {

// Shrinks a vector whose capacity is above four times what `wanted` elements take (at least its own
// size), to about that: what swells and shrinks by less keeps its memory.
template <typename Vector>
void trim_capacity(Vector& vector, std::size_t wanted) {
  constexpr std::size_t kSlack = 4;
  constexpr std::size_t kSmallest = 64;
  const std::size_t natural = std::bit_ceil(std::max({wanted, vector.size(), kSmallest}));
  if (vector.capacity() / kSlack <= natural) return;
  Vector smaller(vector.get_allocator());
  smaller.reserve(natural);
  smaller.insert(smaller.end(), std::make_move_iterator(vector.begin()),
                 std::make_move_iterator(vector.end()));
  vector = std::move(smaller);
}

}  // namespace tidemark
