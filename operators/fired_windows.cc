#include "tidemark/operators/fired_windows.h"

#include <cstddef>

namespace tidemark {

namespace {
constexpr std::size_t kFiredStartColumn = 0;
constexpr std::size_t kFiredEndColumn = 1;

// As most batches are. Without branches, so that it costs next to nothing.
bool is_one_window(const EventTime* starts, const EventTime* ends, std::size_t size) {
  EventTime differences = 0;
  for (std::size_t i = 0; i < size; ++i) {
    differences |= (starts[i] ^ starts[0]) | (ends[i] ^ ends[0]);
  }
  return differences == 0;
}

}  // namespace

void FiredWindows::add(const Batch& results) {
  const EventTime* starts = results.column(kFiredStartColumn).int64s();
  const EventTime* ends = results.column(kFiredEndColumn).int64s();
  const std::size_t size = results.size();
  for (std::size_t row = 0; row < size;) {
    const EventTime start = starts[row];
    const EventTime end = ends[row];
    count_ += static_cast<std::uint64_t>(open_.insert({end, start, results.header.window}).second);
    if (row == 0 && is_one_window(starts, ends, size)) return;
    while (row < size && starts[row] == start && ends[row] == end) ++row;
  }
}

void FiredWindows::advance(EventTime watermark) {
  while (!open_.empty() && saturating_add(open_.begin()->end - 1, lateness_) <= watermark) {
    open_.erase(open_.begin());
  }
}

}  // namespace tidemark
