// The open slices of one source task: partial aggregate states of its own rows, which go to the
// window stages in the place of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/key_table.h"
#include "tidemark/operators/local_aggregation.h"
#include "tidemark/operators/local_pane.h"
#include "tidemark/operators/plan.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/runtime/batch.h"

namespace tidemark {

// The first of two phases (pre-aggregation at the sender: Larson 2002). A table has room for so
// many keys that their states fit the second-level cache. The rows of a key that found room there
// have a partial state in each open slice until it is complete; rows of other keys are left to be
// sent as they are. So few keys, one key and the hot keys of a skewed stream all come down to a few
// partial states, and nothing grows. A table that is full is emptied when no slice is open, or to
// give other keys a chance.
//
// Partials are never late. The watermark of a window stage is at most the one that this source has
// sent it: the channel is active and aligned as long as the source has never been idle, and the
// stage takes the minimum. A row is taken only if all windows of its slice are open at this
// source's watermark, and its partial is sent before the first watermark that completes one of
// them. So all of them are open where it arrives, exactly as they would have been for the row. A
// source that has been idle may come back behind the stage's watermark, which it does not know:
// then rows can be late one by one, and retire() ends all this for good.
//
// Results are the same bit for bit, sums of doubles too. A stage takes the first state of a key and
// slice over as it is, and adds rows that come later to it one by one; with one source that is the
// order in which the rows came. Hence, where parts do not add up in any order, a key and slice have
// at most one partial, and no row of them is sent before it: once rows of a slice have been sent
// for want of a pane, it gets none.
//
// Not thread-safe.
class LocalPanes {
 public:
  // Keys at a time, each with one entry in a pane, and panes at a time; a newer slice takes the
  // place of the oldest.
  static constexpr std::size_t kEntries = 4096;
  static constexpr std::size_t kPanes = 8;

  // refuses_local_aggregation() has nothing against the query; it has one plan.
  LocalPanes(const WindowQuery& query, const WindowPlan& plan, LocalAggregation choice,
             std::size_t entries = kEntries);
  ~LocalPanes();

  // Adds rows [begin, end) of `rows`, hashes filled, to partial states, and returns those that are
  // to be sent, rising; valid until the next call. Partials that are due go first. All rows are
  // taken in order, and close() is called where windows become complete.
  std::span<const std::uint16_t> take(const Batch& rows, std::size_t begin, std::size_t end);
  // Whether take() would return all of these rows; then they count as taken in.
  bool passes_all(const Batch& rows, std::size_t begin, std::size_t end);

  // Slices of which `watermark` completes a window are due, with kEndOfTime all.
  void close(EventTime watermark);
  // All are due, and no more rows are taken.
  void retire();

  // Partials that are to be sent before any row or watermark: a batch of keys, event times in their
  // slice and states, whose entries name the number of rows in the place of a slot. Null if none is
  // due.
  Batch* due();
  // The batch of due() has been sent.
  void sent();

  std::uint64_t rows_taken() const { return rows_taken_; }
  std::uint64_t partials() const { return partials_; }

 private:
  void take_part(const Batch& rows, std::size_t begin, std::size_t end);
  void pass_part(const Batch& rows, std::size_t begin, std::size_t end);
  void take_chunk(const Batch& rows, std::size_t begin, std::size_t end);
  // Of rows [row, end), where those end that are in the slice of the first.
  std::size_t end_of_run(const EventTime* times, std::size_t row, std::size_t end);
  // All of one slice.
  void take_run(const Batch& rows, std::size_t begin, std::span<const std::uint32_t> slots,
                LocalPane& pane, std::byte** entries);
  void take_some(const Batch& rows, std::size_t begin, std::span<const std::uint32_t> slots,
                 LocalPane& pane, std::byte** entries);
  void refuse(std::size_t row, std::byte*& entry);
  bool is_full() const { return keys_.size() == capacity_; }
  // The pane of a slice, or nullptr if its rows are to be sent.
  LocalPane* pane_of(std::int64_t slice);
  // Whether the pane of the oldest slice has made room for that of a newer one.
  bool close_oldest(std::int64_t newer);
  template <typename Condition>
  void close_if(const Condition& condition);
  void look_at_gain(const LocalAggregationSwitch::Counts& counts);

  const std::size_t capacity_;
  std::size_t key_columns_;
  Schema key_schema_;
  bool in_any_order_;
  AggregateLayout layout_;
  Slicing slicing_;
  LocalAggregationSwitch switch_;
  bool retired_ = false;

  std::vector<std::unique_ptr<LocalPane>> open_;
  std::vector<std::unique_ptr<LocalPane>> due_;
  std::vector<std::unique_ptr<LocalPane>> free_;
  Slicing::Span span_{0, 0, 0};
  // Windows below this are complete.
  std::int64_t first_open_ = kNoWatermark;
  // Slices up to this one get no pane any more.
  std::int64_t sent_through_ = kNoWatermark;

  std::uint32_t never_null_ = 0;  // of the batch at hand
  std::vector<std::uint16_t> refused_;
  std::size_t unplaced_ = 0;  // of those, rows of slices without a pane
  KeyTable keys_;
  std::vector<std::uint32_t> slots_;     // of a chunk
  std::vector<std::uint16_t> all_rows_;  // of a run, from 0 on
  std::vector<std::uint16_t> taken_;     // of a run, those that are taken
  std::vector<std::byte*> entries_;
  std::vector<std::byte> discarded_;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t rows_taken_ = 0;
  std::uint64_t partials_ = 0;
};

}  // namespace tidemark
