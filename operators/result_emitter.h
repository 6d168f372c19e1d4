// Turns the states of a fired window into result rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/firing.h"
#include "tidemark/operators/key_table.h"
#include "tidemark/operators/live_results.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// Where result batches come from and go to.
class ResultOutput {
 public:
  virtual ~ResultOutput() = default;
  // An empty batch of the result schema, or nullptr while none is free.
  virtual Batch* acquire() = 0;
  virtual void deliver(Batch* results) = 0;
  // Whether deliver() is done with a batch when it returns, and takes one that it has not given
  // out. Then kept results are lent to it instead of being copied.
  virtual bool reads_in_place() const { return false; }
};

// Fills result batches; a firing that finds no free batch stops and goes on later. Not thread-safe.
class ResultEmitter {
 public:
  ResultEmitter(const KeyTable& keys, const WindowQuery& query, ResultOutput& output);

  // Selects the window specification and window that the next rows belong to.
  void begin_window(std::uint32_t specification, EventTime start, EventTime end);

  // How many rows emit() takes now; 0 while no result batch is free.
  std::size_t room();

  // One row per slot from one or two entries each (b may be null); at most room() rows.
  void emit(const AggregateLayout& layout, std::span<const std::uint32_t> slots,
            const std::byte* const* a, const std::byte* const* b);

  // One row per slot, each of a window of its own; at most room() rows.
  void emit_windows(const AggregateLayout& layout, std::span<const std::uint32_t> slots,
                    const EventTime* starts, const EventTime* ends,
                    const std::byte* const* entries);

  // One row per slot whose results are ready: rows [from, to), as far as there is room. Returns how
  // far it came. `slots` are those of all results.
  std::size_t emit_live(std::span<const std::uint32_t> slots, LiveResults& results,
                        std::size_t from, std::size_t to);

  // Rows for entries [from, n) of an array, as far as there is room; returns how far it came.
  std::size_t emit_entries(const AggregateLayout& layout, const std::byte* entries, std::size_t n,
                           std::size_t from);

  // One row for an entry, with its pane where the query's results have one; needs room().
  void emit_pane(const AggregateLayout& layout, const std::byte* entry, const PaneInfo& pane);

  // All results of windows with end - 1 <= watermark (and allowed lateness) are in the batches so
  // far: the next ones say so in their header, so that whoever waits for that need not wait for the
  // end of a long firing.
  void complete_through(EventTime watermark) { complete_through_ = watermark; }

  // Sends what is there on.
  void flush();

  std::uint64_t results() const { return results_; }
  const OverflowList& overflows() const { return overflows_; }

  // The batch being filled, for a header that must go with it; nullptr if there is none.
  Batch* current() { return batch_; }

 private:
  // Fills bounds, keys and panes of new rows; returns the row where they start.
  std::size_t begin_rows(std::span<const std::uint32_t> slots);
  void fill_panes(std::size_t at, std::size_t n);
  void add_overflow(std::uint32_t slot, std::size_t aggregate);
  void lend_live(std::span<const std::uint32_t> slots, const LiveResults& results,
                 std::size_t from);
  void copy_live(std::span<const std::uint32_t> slots, const LiveResults& results,
                 std::size_t from);
  void add_overflows(std::span<const std::uint32_t> slots, const LiveResults& results,
                     std::size_t from);
  void fill_bounds(Batch& batch, std::size_t at, std::size_t n) const;

  const KeyTable& keys_;
  const WindowQuery& query_;
  ResultOutput& output_;
  Batch* batch_ = nullptr;
  // Borrows its cells, but for the bounds of a window: it has those of `lent_bounds_` for all rows.
  std::unique_ptr<Batch> lent_;
  std::pair<EventTime, EventTime> lent_bounds_{0, 0};
  std::uint32_t specification_ = 0;
  EventTime start_ = 0;
  EventTime end_ = 0;
  PaneInfo pane_;  // of the next rows: most results are the first of their window, on time
  EventTime complete_through_ = kNoWatermark;
  std::uint64_t results_ = 0;
  std::vector<CellOverflow> cell_overflows_;
  OverflowList overflows_;
};

}  // namespace tidemark
