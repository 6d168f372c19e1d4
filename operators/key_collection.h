// When a window stage looks for keys that no state names any more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemark/operators/recent_peak.h"

namespace tidemark {

// Tests compare runs that collect whenever they can with runs that never do.
enum class KeyCollection : std::uint8_t { kWhenDue, kNever, kAlways };

// Looking costs a step per slot and per mark, and must be paid for: by a new key, by many rows, or
// by some results. So a stage whose keys are always new spends a bounded time per key, and one
// whose keys stay the same spends next to nothing.
//
// The place to look is before windows fire, since a key that was in the windows which are about to
// fire may well be in the next ones too: a key is given up when it has missed a firing. Not
// thread-safe.
class KeyCollectionSchedule {
 public:
  explicit KeyCollectionSchedule(KeyCollection when) : when_(when) {}

  // What a stage has done so far, and what it holds.
  struct Figures {
    std::uint64_t rows = 0;
    std::uint64_t results = 0;
    std::uint64_t windows_fired = 0;
    std::uint64_t inserted = 0;  // keys ever added to the table
    std::size_t keys = 0;        // in the table
    std::size_t slots = 0;       // of the table
    std::size_t most_live = 0;   // at most so many of the keys are live
    std::size_t entries = 0;
  };

  // Before windows fire: whether to collect now.
  bool due_before_firing(const Figures& now);
  // Between firings only a flood of new keys makes a collection due: they may all be late.
  bool due_before_rows(std::uint64_t inserted) const;
  // After the last firing of all nothing is worth keeping.
  bool due_at_end() const { return when_ != KeyCollection::kNever; }

  // Whether so few of the slots are live, or have been needed of late, that it is worth making them
  // dense. That costs a step per entry, and all memory is fitted to what is in it.
  bool worth_compacting(std::size_t live, std::size_t slots) const;

  // A collection found `live` keys in `steps` steps.
  void collected(const Figures& then, std::size_t live, std::size_t steps);

 private:
  static constexpr std::uint64_t kStepsPerKey = 16;
  static constexpr std::uint64_t kRowsPerStep = 64;
  static constexpr std::uint64_t kResultsPerStep = 8;
  // Fewer dead keys than this are not worth a thought.
  static constexpr std::size_t kFewKeys = 1024;
  // Firings in which a key, or room for so many keys, had no use.
  static constexpr std::size_t kFiringsWithoutKey = 4;
  static constexpr std::size_t kFiringsWithoutSlot = 16;

  static bool is_far_above(std::size_t held, std::size_t needed) {
    return held > needed + needed / 4 + kFewKeys;
  }
  void note(const Figures& now);

  KeyCollection when_;
  Figures then_;  // as of the last collection
  std::size_t live_then_ = 0;
  std::uint64_t steps_then_ = 0;
  std::uint64_t fired_ = 0;
  RecentPeak recent_live_{kFiringsWithoutKey};
  RecentPeak recent_keys_{kFiringsWithoutSlot};
};

}  // namespace tidemark
