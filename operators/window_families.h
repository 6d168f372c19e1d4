// When the windows of many specifications are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/operators/edge_heap.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// Specifications whose windows always end together are one family. The next end of each family is
// kept in a heap, and so is where the earliest of its open windows begins: going on by one window
// costs log(families). All times are local (see Slicing). Not thread-safe.
class WindowFamilies {
 public:
  struct Member {
    Slicing slicing;
    std::uint32_t specification;
    // Add to a window's number in the family to get its number in this slicing.
    std::int64_t number_shift = 0;
  };

  // Members of one family end together; the shortest window is first.
  struct Family {
    std::vector<Member> members;
    std::int64_t window = 0;  // the next one, by its number in members[0].slicing
    // Of that window; kNoWatermark: which one it is, is not known before there are rows.
    // kEndOfTime: there is none any more.
    std::int64_t end = 0;
    std::int64_t start = 0;  // of the longest member's
  };

  explicit WindowFamilies(std::vector<Member> members);

  std::size_t size() const { return families_.size(); }
  const Family& operator[](std::size_t family) const { return families_[family]; }

  // The one that ends first, of those that end together the one with the shorter slide.
  std::size_t first_due() const { return due_.earliest().sequence; }

  // The first due family goes on to window `window`, which ends later, or has no more windows.
  void go_on(std::int64_t window);
  void end();

  // The earliest start of the next windows of all families.
  std::int64_t earliest_start();

  // Whether every time is in some window; and whether one is, open or not.
  bool no_gaps() const { return no_gaps_; }
  bool holds(std::int64_t local) const;

  // The bounds of the family's next window, of one member.
  static std::int64_t start_of(const Family& family, const Member& member) {
    return member.slicing.local_window_start(family.window + member.number_shift);
  }

 private:
  std::vector<Family> families_;
  EdgeHeap due_;
  EdgeHeap starts_;  // may be earlier than what they have become meanwhile
  bool no_gaps_ = false;
};

}  // namespace tidemark
