// The next edge of each of many sequences of edges, the earliest at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

// A binary heap in which the earliest edge is exchanged for the one that follows it in its
// sequence: log2(sequences) steps, half of what a pop and a push take. Of edges at one time that of
// the lower sequence is first. Not thread-safe.
class EdgeHeap {
 public:
  struct Edge {
    std::int64_t time;
    std::uint32_t sequence;
  };

  bool empty() const { return edges_.empty(); }
  const Edge& earliest() const { return edges_.front(); }

  // Fills the heap: clear(), append() what there is, then settle().
  void clear() { edges_.clear(); }
  void append(Edge edge) { edges_.push_back(edge); }
  void settle() {
    std::make_heap(edges_.begin(), edges_.end(),
                   [](const Edge& a, const Edge& b) { return before(b, a); });
  }

  // The earliest edge's sequence goes on to `time`, which is no earlier.
  void go_on_to(std::int64_t time) {
    const Edge edge{time, edges_.front().sequence};
    const std::size_t n = edges_.size();
    std::size_t place = 0;
    while (2 * place + 1 < n) {
      std::size_t child = 2 * place + 1;
      if (child + 1 < n && before(edges_[child + 1], edges_[child])) ++child;
      if (!before(edges_[child], edge)) break;
      edges_[place] = edges_[child];
      place = child;
    }
    edges_[place] = edge;
  }

 private:
  static bool before(const Edge& a, const Edge& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }

  std::vector<Edge> edges_;
};

}  // namespace tidemark
