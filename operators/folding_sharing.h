// What strategies have in common that never undo a state, but put an older one back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tidemark/operators/loose_entries.h"
#include "tidemark/operators/running_sharing.h"
#include "tidemark/operators/slicing.h"

namespace tidemark {

// To fold an entry is to exchange it with a part of its key's running row: the part takes the entry
// in, and the entry keeps what the part was before. Entries are folded from new to old, so the part
// becomes the total of all that are at least as new as the last one folded; and when entries expire
// from old to new, what each has kept is what that part must be without it.
//
// An entry that comes for a slice which has been folded already is loose: it has no place in that
// order, and is kept by itself until it expires.
class FoldingSharing : public RunningSharing {
 public:
  ~FoldingSharing() override;

  void renumber(const SlotMap& map) override;

 protected:
  FoldingSharing(const WindowSpec& window, const AggregateLayout& layout, std::size_t parts,
                 std::pmr::memory_resource& memory);

  // Folds the runs that it visits into one part of their slots' rows; calls folded(entries, n) for
  // every chunk of them.
  class Folder : public SealedSlices::Visitor {
   public:
    Folder(FoldingSharing& sharing, std::size_t part) : sharing_(sharing), part_(part) {}
    void visit(const EntryRun& run) override;

   private:
    virtual void folded(const std::byte* entries, std::size_t n) { (void)entries, (void)n; }

    FoldingSharing& sharing_;
    std::size_t part_;
  };

  // Entries of a run that was folded leave: what they kept goes back to `part`. If `stale` names
  // another part, that one is reset at the same time.
  static constexpr std::size_t kNone = ~std::size_t{0};
  void restore(const EntryRun& run, std::size_t part, std::size_t stale = kNone);

  void add_loose(const EntryRun& run);
  void expire_loose(const EntryRun& run);
  bool is_loose(const EntryRun& run) const;
  // What was loose is to be folded with all others.
  void forget_loose();
  // Points states[i] at a copy that includes loose entries, where a slot has them.
  void include_loose(std::span<const std::uint32_t> slots, const std::byte** states);

  // The parts hold the same entries as before, added up in another order. Where that may tell in
  // the last digit, results that are kept must follow, or they would depend on when they were made.
  void states_are_regrouped();

  Slicing slicing_;

 private:
  LooseEntries loose_;
  std::pmr::vector<const Pane*> loose_runs_;
  std::vector<std::byte> loose_copies_;
};

}  // namespace tidemark
