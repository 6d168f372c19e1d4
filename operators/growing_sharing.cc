#include "tidemark/operators/growing_sharing.h"

namespace tidemark {

void GrowingSharing::seal(const EntryRun& run) {
  enter_all(run, [this](std::byte* const* rows, const std::byte* entries, std::size_t n) {
    layout_.merge(rows, entries, n);
  });
}

// A row is reset when the last of its entries has left.
void GrowingSharing::expire(const EntryRun& run, SealedSlices& /*sealed*/) {
  for (std::size_t i = 0; i < run.size; ++i) {
    leave(entry_header(run.entries + i * layout_.entry_size()).slot);
  }
}

}  // namespace tidemark
