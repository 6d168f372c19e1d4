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

// Adds partial states to the panes that `pane_of(slice)` prepares and returns, called once for each
// run of one slice. The first state of an entry is taken over as it is, so that nothing is rounded
// on the way, and others are merged. `entries` has room for all, and `discarded` is an entry that
// nobody reads. Throws std::logic_error if windows of a state have fired: LocalPanes says why that
// cannot be.
template <typename PaneOf>
AddedPartials add_partials_to_panes(const RowChunk& partials, const AggregateLayout& layout,
                                    const Slicing& slicing, std::int64_t first_open,
                                    std::byte** entries, std::byte* discarded,
                                    const PaneOf& pane_of) {
  SliceFinder finder(slicing);
  AddedPartials added;
  Pane* pane = nullptr;
  std::int64_t pane_slice = 0;
  for (std::size_t i = 0; i < partials.size(); ++i) {
    const std::byte* const state = partials.batch.states(partials.begin + i);
    const std::int64_t slice = finder.slice_of(partials.times()[i]);
    if (pane == nullptr || slice != pane_slice) {
      if (slicing.first_window(slice) < first_open) {
        throw std::logic_error("a partial state came after a window of its slice had fired");
      }
      pane = pane_of(slice);
      pane_slice = slice;
    }
    added.rows += entry_header(state).slot;
    const std::size_t before = pane->size();
    entries[i] = pane->find_or_add(partials.slots[i]);
    if (pane->size() == before) continue;
    ++added.new_entries;
    entry_header(entries[i]).valid = entry_header(state).valid;
    std::memcpy(entries[i] + sizeof(EntryHeader), state + sizeof(EntryHeader), layout.state_size());
    entries[i] = discarded;
  }
  if (added.new_entries < partials.size()) {
    layout.merge(entries, partials.batch.states(partials.begin), partials.size());
  }
  return added;
}

}  // namespace tidemark
