#include "tidemark/operators/fired_windows.h"

#include <algorithm>
#include <cstddef>

namespace tidemark {

namespace {
constexpr std::size_t kStartColumn = 0;
constexpr std::size_t kEndColumn = 1;
}  // namespace

void FiredWindows::add(const Batch& results) {
  const EventTime* starts = results.column(kStartColumn).int64s();
  const EventTime* ends = results.column(kEndColumn).int64s();
  const EventTime* last = starts + results.size();
  for (const EventTime* start = starts; start != last;) {
    const bool added = open_.insert({ends[start - starts], *start, results.header.window}).second;
    count_ += static_cast<std::uint64_t>(added);
    // Mostly the rest of the batch is this window.
    start = last[-1] == *start ? last : std::upper_bound(start, last, *start);
  }
}

void FiredWindows::advance(EventTime watermark) {
  while (!open_.empty() && open_.begin()->end - 1 <= watermark) open_.erase(open_.begin());
}

}  // namespace tidemark
