// The edges of all windows of several specifications as one sequence, which cuts time into the
// slices that the windows share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemark/operators/edge_heap.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// Finds the slice of a time without asking every specification: the next edge of each is kept in a
// heap, so that going on by one edge costs log(specifications). Times far ahead or behind cost one
// division per specification. Specifications with the same edges count once, and edges need not be
// all different for a slice to be found. All times are local (see Slicing). Not thread-safe.
class SliceEdges {
 public:
  // [begin, end), with no edge inside.
  struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  explicit SliceEdges(std::span<const Slicing> slicings);
  SliceEdges(const SliceEdges&) = delete;
  SliceEdges& operator=(const SliceEdges&) = delete;

  Slice slice_of(std::int64_t local);

  // How many slices there are at most, without calendar windows. Edges that coincide may count
  // twice, but no more than can be told apart.
  double edges_per_ms() const;

 private:
  // Edges phase + n * step; or those of a slicing by months, one per slice.
  struct Sequence {
    std::int64_t phase;
    std::int64_t step;
    const Slicing* months;
  };

  void add(std::int64_t phase, std::int64_t step);
  Slice around(const Sequence& sequence, std::int64_t local) const;
  Slice search(std::int64_t local) const;
  void jump_to(std::int64_t local);
  bool step_to(std::int64_t local);

  std::vector<Slicing> calendar_;
  std::vector<Sequence> sequences_;
  EdgeHeap next_;
  std::int64_t begin_ = 0;  // of the slice that ends with the earliest of next_
};

}  // namespace tidemark
