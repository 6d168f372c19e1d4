// What strategies have in common that never undo a state, but put an older one back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/absent_values.h"
#include "tidemark/operators/loose_entries.h"
#include "tidemark/operators/running_sharing.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// To fold an entry is to exchange it with a part of its key's running row: the part takes the entry
// in, and the entry keeps what the part was before. Entries are folded from new to old, so the part
// becomes the total of all that are at least as new as the last one folded; and when entries expire
// from old to new, what each has kept is what that part must be without it.
//
// States that can be undone exactly need none of this: a row has them once, entries that come are
// added and those that expire are subtracted. So a row with a count, a sum of integers and a
// maximum takes one cache line, however many parts the maximum has.
//
// An entry that comes for a slice which has been folded already is loose: it has no place in that
// order, and is kept by itself until it expires.
class FoldingSharing : public RunningSharing {
 public:
  ~FoldingSharing() override;

  void cover(std::size_t slot_count) override;
  void renumber(const SlotMap& map) override;

 protected:
  void find_rows(std::span<const std::uint32_t> slots, std::byte** rows) final {
    for (std::size_t i = 0; i < slots.size(); ++i) rows[i] = row(slots[i]);
  }

  FoldingSharing(const WindowSpec& window, const AggregateLayout& layout, std::size_t parts,
                 std::pmr::memory_resource& memory);

  // Folds the runs that it visits into one part of their slots' rows.
  class Folder : public SealedSlices::Visitor {
   public:
    Folder(FoldingSharing& sharing, std::size_t part) : sharing_(sharing), part_(part) {}
    void visit(const EntryRun& run) override;

   private:
    FoldingSharing& sharing_;
    std::size_t part_;
  };

  // The part that is filled from what expiring entries have kept: the older one of a result.
  static constexpr std::size_t kFront = 0;

  // The row of a slot, with its parts where they belong now.
  std::byte* row(std::uint32_t slot) {
    std::byte* const row = rows_.row(slot);
    bring_up_to_date(row);
    return row;
  }
  void bring_up_to_date(std::byte* row) {
    if (RunningRows::tag(row) != generation_) [[unlikely]] {
      catch_up(row);
    }
  }
  // Parts change places for all rows at once, each of which follows when it is next looked at.
  void begin_generation() { ++generation_; }

  // Enters entries, and merges them into one part of their slots' rows, or two.
  void merge_into(std::size_t part, const EntryRun& run) { merge_into(part, part, run); }
  void merge_into(std::size_t part, std::size_t second, const EntryRun& run);

  // Entries of a run that was folded leave: what they kept goes back to the front part.
  void restore(const EntryRun& run);

  void add_loose(const EntryRun& run);
  void expire_loose(const EntryRun& run);
  bool is_loose(const EntryRun& run) const;
  // What was loose is to be folded with all others.
  void forget_loose();
  // Points states[i] at a copy whose second section includes loose entries, where a slot has them.
  void include_loose(std::span<const std::uint32_t> slots, const std::byte** states);

  // The parts hold the same entries as before, added up in another order. Where that may tell in
  // the last digit, results that are kept must follow, or they would depend on when they were made.
  void states_are_regrouped();

  Slicing slicing_;

 private:
  // Moves the parts of a row on by as many generations as it is behind, and tags it.
  void catch_up(std::byte* row);
  // By one.
  virtual void change_places(std::byte* row) { (void)row; }

  std::uint32_t generation_ = 0;
  AbsentValues absent_;
  LooseEntries loose_;
  std::pmr::vector<const Pane*> loose_runs_;
  std::vector<std::byte> loose_copies_;
};

}  // namespace tidemark
