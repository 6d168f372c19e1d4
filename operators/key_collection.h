// When a window stage looks for keys that no state names any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark {

// Tests compare runs that collect whenever they can with runs that never do.
enum class KeyCollection : std::uint8_t { kWhenDue, kNever, kAlways };

// Looking costs a step per slot and per mark, and it must be paid for: each new key brings
// kStepsPerKey, and rows bring one in kRowsPerStep. So a stage whose keys are always new spends a
// bounded time per key, and one whose keys stay the same spends next to nothing per row.
//
// The place to look is before windows fire, since a key that was in the windows which are about to
// fire may well be in the next ones too: a key is given up when it has missed a firing. Not
// thread-safe.
class KeyCollectionSchedule {
 public:
  explicit KeyCollectionSchedule(KeyCollection when) : when_(when) {}

  void note_rows(std::size_t rows) { rows_ += rows; }

  // What is held before a firing: keys in the table, keys ever inserted, at most so many of them
  // live, and windows fired so far. True if a collection is due.
  bool due_before_firing(std::size_t keys, std::uint64_t inserted, std::size_t most_live,
                         std::uint64_t fired);
  // Between firings only a flood of new keys makes a collection due: they may all be late.
  bool due_before_rows(std::uint64_t inserted) const;
  // After the last firing of all nothing is worth keeping.
  bool due_at_end() const { return when_ != KeyCollection::kNever; }

  // Whether so few slots of those in use are live that it is worth making them dense.
  bool worth_compacting(std::size_t live, std::size_t slots) const;

  // A collection found `live` keys in `steps` steps.
  void collected(std::uint64_t inserted, std::size_t live, std::size_t steps);

 private:
  static constexpr std::uint64_t kStepsPerKey = 16;
  static constexpr std::uint64_t kRowsPerStep = 64;
  // Fewer dead keys than this are not worth a thought.
  static constexpr std::size_t kFewKeys = 1024;
  static constexpr std::size_t kFirings = 4;

  std::size_t recent_live() const;

  KeyCollection when_;
  std::uint64_t rows_ = 0;
  // As of the last collection.
  std::uint64_t rows_then_ = 0;
  std::uint64_t inserted_then_ = 0;
  std::size_t live_then_ = 0;
  std::uint64_t steps_then_ = 0;
  // The most keys that were live before each of the last firings, the latest being incomplete.
  std::array<std::size_t, kFirings> live_before_{};
  std::size_t firing_ = 0;
  std::uint64_t fired_ = 0;
};

}  // namespace tidemark
