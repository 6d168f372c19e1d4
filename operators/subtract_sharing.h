// A running state per key, from which expiring slices are taken out again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/operators/absent_values.h"
#include "tidemark/operators/running_sharing.h"

namespace tidemark {

// "Subtract on evict" (Hirzel, Schneider and Tangwongsan 2017 survey it): one merge when an entry
// comes and one subtraction when it leaves. A running row starts afresh whenever its key has no
// live entry. While it has some, sums of doubles carry what rounding took from them along; those
// that have shrunk to the size of its errors are summed up afresh from the live entries, and every
// kRebuildWindows windows all are, so that errors do not build up.
class SubtractSharing final : public RunningSharing {
 public:
  SubtractSharing(const AggregateLayout& layout, std::pmr::memory_resource& memory);

  void cover(std::size_t slot_count) override;
  bool rewrites_entries() const override { return false; }
  void begin_expiry(std::int64_t window) override;
  void expire(const EntryRun& run, SealedSlices& sealed) override;
  void end_expiry(SealedSlices& sealed) override;
  void seal(const EntryRun& run) override;
  void add_stragglers(const EntryRun& run) override { seal(run); }
  void renumber(const SlotMap& map) override;

 private:
  class Rebuilder;
  static constexpr std::int64_t kRebuildWindows = 65'536;

  void rebuild(SealedSlices& sealed);

  AbsentValues absent_;
  // Rows that are to be summed up afresh, and whether a slot's is among them.
  std::pmr::vector<std::uint32_t> worn_;
  std::pmr::vector<bool> is_worn_;
  std::optional<std::int64_t> stretch_;  // of kRebuildWindows windows
  bool rebuild_all_ = false;
};

}  // namespace tidemark
