// Partial states of source tasks enter the panes of a window stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "tidemark/operators/pane.h"
#include "tidemark/operators/slice_finder.h"
#include "tidemark/operators/window_state.h"

namespace tidemark {

struct AddedPartials {
  std::uint64_t rows = 0;       // that they stand for
  std::size_t new_entries = 0;  // in panes
};

// Adds partial states of one slice to its pane, and returns the rows that they stand for. Where
// doubles are added up, the first state of an entry is taken over as it is, so that nothing is
// rounded on the way, and others are merged; other states are merged without a branch on which is
// the first. `entries` has room for all, and `discarded` is an entry that nobody reads.
inline std::uint64_t add_partials_to_pane(Pane& pane, const AggregateLayout& layout,
                                          std::span<const std::uint32_t> slots,
                                          const std::byte* states, std::byte** entries,
                                          std::byte* discarded) {
  const std::size_t n = slots.size();
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < n; ++i) rows += entry_header(states + i * layout.entry_size()).slot;
  if (layout.exactly_associative()) {
    pane.find_or_add(slots, 0, entries);
    layout.merge(entries, states, n);
    return rows;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte* const state = states + i * layout.entry_size();
    const std::size_t before = pane.size();
    entries[i] = pane.find_or_add(slots[i]);
    if (pane.size() == before) continue;
    entry_header(entries[i]).valid = entry_header(state).valid;
    std::memcpy(entries[i] + sizeof(EntryHeader), state + sizeof(EntryHeader), layout.state_size());
    entries[i] = discarded;
  }
  layout.merge(entries, states, n);
  return rows;
}

// The same for partial states of any slices, to the panes that `pane_of(slice)` prepares and
// returns, called once for each run of one slice. Throws std::logic_error if windows of a state
// have fired: LocalPanes says why that cannot be.
template <typename PaneOf>
AddedPartials add_partials_to_panes(const RowChunk& partials, const AggregateLayout& layout,
                                    const Slicing& slicing, std::int64_t first_open,
                                    std::byte** entries, std::byte* discarded,
                                    const PaneOf& pane_of) {
  SliceFinder finder(slicing);
  AddedPartials added;
  const std::size_t n = partials.size();
  for (std::size_t from = 0; from < n;) {
    const std::int64_t slice = finder.slice_of(partials.times()[from]);
    std::size_t to = from + 1;
    while (to < n && finder.slice_of(partials.times()[to]) == slice) ++to;
    if (slicing.first_window(slice) < first_open) {
      throw std::logic_error("a partial state came after a window of its slice had fired");
    }
    Pane& pane = *pane_of(slice);
    const std::size_t before = pane.size();
    added.rows +=
        add_partials_to_pane(pane, layout, partials.slots.subspan(from, to - from),
                             partials.batch.states(partials.begin + from), entries, discarded);
    added.new_entries += pane.size() - before;
    from = to;
  }
  return added;
}

}  // namespace tidemark
