#include "tidemark/operators/local_panes.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tidemark {

namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
constexpr std::size_t kFewestCells = 64;
// What a chunk of rows touches stays in the first-level cache from one loop to the next.
constexpr std::size_t kChunk = 256;
// Rows that a pane is open for before it may give way to one of a newer slice.
constexpr std::uint64_t kShortestLife = 256;
// An entry counts its rows in 32 bits, and a pane is looked at once a period.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;

constexpr std::uint64_t make_cell(std::uint64_t hash, std::size_t index) {
  return (hash & 0xffffffff00000000ULL) | index;
}

bool same_cell(const Column& a, std::size_t row_a, const Column& b, std::size_t row_b) {
  const bool is_null = a.is_null(row_a);
  if (is_null != b.is_null(row_b)) return false;
  if (is_null) return true;
  if (a.type() == ColumnType::kInt64) return a.int64s()[row_a] == b.int64s()[row_b];
  return a.string(row_a) == b.string(row_b);
}

}  // namespace

// Keys, a time in the slice and states by entry, and cells of (hash tag, entry) by hash, probed
// linearly and at most half full.
struct LocalPanes::Pane {
  Pane(const Schema& keys, std::size_t capacity) : batch(keys, capacity) {}

  std::size_t size() const { return batch.size(); }
  std::size_t mask() const { return cells.size() - 1; }

  void open(std::int64_t of_slice, std::size_t state_size, std::uint64_t row) {
    slice = of_slice;
    opened_at = row;
    // As many cells as the last slice had use for.
    const std::size_t needed = std::bit_ceil(std::max(2 * size(), kFewestCells));
    cells.assign(needed, kEmpty);
    batch.clear();
    batch.use_states(state_size);
  }
  void place(std::size_t entry) {
    std::size_t at = batch.hashes()[entry] & mask();
    while (cells[at] != kEmpty) at = (at + 1) & mask();
    cells[at] = make_cell(batch.hashes()[entry], entry);
  }
  void grow() {
    cells.assign(2 * cells.size(), kEmpty);
    for (std::size_t entry = 0; entry < size(); ++entry) place(entry);
  }

  std::int64_t slice = 0;
  std::uint64_t opened_at = 0;  // in rows seen
  Batch batch;
  std::vector<std::uint64_t> cells;
};

LocalPanes::LocalPanes(const WindowQuery& query, const WindowPlan& plan, LocalAggregation choice,
                       std::size_t entries)
    : capacity_(entries),
      key_columns_(query.keys.size()),
      keys_(query.keys),
      single_integer_(query.keys.size() == 1 && query.keys[0].type == ColumnType::kInt64),
      in_any_order_(adds_up_in_any_order(query)),
      layout_(query.values, query.aggregates, plan.strategy == Strategy::kSubtract),
      slicing_(plan.window, zone_clock_of(query.zone)),
      switch_(choice),
      entries_(kChunk),
      discarded_(layout_.entry_size()) {}

LocalPanes::~LocalPanes() = default;

std::span<const std::uint16_t> LocalPanes::take(const Batch& rows, std::size_t begin,
                                                std::size_t end) {
  never_null_ = layout_.never_null(rows, key_columns_);
  refused_.clear();
  // The switch looks at fixed numbers of rows, so that batches do not matter.
  while (begin < end) {
    const std::size_t n = std::min(end - begin, switch_.rows_left());
    if (switch_.on() && !retired_) {
      take_part(rows, begin, begin + n);
    } else {
      pass_part(rows, begin, begin + n);
      for (std::size_t row = begin; row < begin + n; ++row) {
        refused_.push_back(static_cast<std::uint16_t>(row));
      }
    }
    begin += n;
  }
  return refused_;
}

void LocalPanes::take_part(const Batch& rows, std::size_t begin, std::size_t end) {
  const std::size_t refused_before = refused_.size();
  const std::uint64_t partials_before = partials_;
  unplaced_ = 0;
  for (std::size_t row = begin; row < end; row += kChunk) {
    take_chunk(rows, row, std::min(row + kChunk, end));
  }
  const std::size_t refused = refused_.size() - refused_before;
  const std::size_t taken = end - begin - refused;
  rows_taken_ += taken;
  // What rows of slices without a pane would have gained is not known.
  look_at_gain({end - begin - unplaced_, taken, partials_ - partials_before, refused - unplaced_});
}

void LocalPanes::pass_part(const Batch& rows, std::size_t begin, std::size_t end) {
  if (!in_any_order_) {
    const EventTime latest = *std::max_element(rows.times() + begin, rows.times() + end);
    sent_through_ = std::max(sent_through_, slicing_.slice_of(latest));
  }
  if (!retired_) look_at_gain({end - begin, 0, 0, 0});
}

bool LocalPanes::passes_all(const Batch& rows, std::size_t begin, std::size_t end) {
  if (!retired_ && (switch_.on() || end - begin >= switch_.rows_left())) return false;
  if (begin < end) pass_part(rows, begin, end);
  return true;
}

void LocalPanes::take_chunk(const Batch& rows, std::size_t begin, std::size_t end) {
  const EventTime* const times = rows.times();
  const std::size_t refused_before = refused_.size();
  for (std::size_t row = begin; row < end;) {
    if (times[row] < span_.begin || times[row] >= span_.end) span_ = slicing_.span_of(times[row]);
    std::size_t after = row + 1;
    while (after < end && times[after] >= span_.begin && times[after] < span_.end) ++after;
    std::byte** const entries = entries_.data() + (row - begin);
    if (Pane* pane = pane_of(span_.slice)) {
      take_run(rows, row, after, *pane, entries);
    } else {
      for (std::size_t i = row; i < after; ++i) refuse(i, entries[i - row]);
      unplaced_ += after - row;
    }
    rows_seen_ += after - row;
    row = after;
  }
  if (refused_.size() - refused_before == end - begin) return;
  layout_.update(entries_.data(), rows, key_columns_, begin, end - begin);
}

void LocalPanes::take_run(const Batch& rows, std::size_t begin, std::size_t end, Pane& pane,
                          std::byte** entries) {
  if (single_integer_ && !rows.column(0).has_nulls() && !pane.batch.column(0).has_nulls()) {
    const std::int64_t* const keys = rows.column(0).int64s();
    const std::int64_t* const known = pane.batch.column(0).int64s();
    find_entries(
        rows, begin, end, pane, entries,
        [keys, known](std::size_t entry, std::size_t row) { return known[entry] == keys[row]; });
    return;
  }
  find_entries(rows, begin, end, pane, entries, [&](std::size_t entry, std::size_t row) {
    for (std::size_t i = 0; i < key_columns_; ++i) {
      if (!same_cell(pane.batch.column(i), entry, rows.column(i), row)) return false;
    }
    return true;
  });
}

// Entries are written through bytes, which may alias anything: what the loop needs is in locals.
template <typename Matches>
void LocalPanes::find_entries(const Batch& rows, std::size_t begin, std::size_t end, Pane& pane,
                              std::byte** entries, const Matches& matches) {
  const std::uint64_t* const hashes = rows.hashes();
  const std::size_t state_size = layout_.entry_size();
  const std::uint32_t valid = never_null_;
  std::byte* const states = pane.batch.states(0);
  const std::uint64_t* cells = pane.cells.data();
  std::size_t mask = pane.mask();
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint64_t hash = hashes[row];
    std::byte* entry = nullptr;
    for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
      const std::uint64_t cell = cells[place];
      if (cell == kEmpty) break;
      const auto index = static_cast<std::uint32_t>(cell);
      if ((cell ^ hash) >> 32 == 0 && matches(index, row)) {
        entry = states + index * state_size;
        break;
      }
    }
    if (entry == nullptr) [[unlikely]] {
      if (pane.size() == capacity_) {
        refuse(row, entries[row - begin]);
        continue;
      }
      entry = add(pane, rows, row);
      cells = pane.cells.data();
      mask = pane.mask();
    }
    EntryHeader& header = entry_header(entry);
    ++header.slot;
    header.valid |= valid;
    entries[row - begin] = entry;
  }
}

void LocalPanes::refuse(std::size_t row, std::byte*& entry) {
  refused_.push_back(static_cast<std::uint16_t>(row));
  entry = discarded_.data();
}

std::byte* LocalPanes::add(Pane& pane, const Batch& rows, std::size_t row) {
  const std::size_t index = pane.size();
  if (2 * (index + 1) > pane.cells.size()) pane.grow();
  Batch& batch = pane.batch;
  batch.times()[index] = rows.times()[row];
  batch.hashes()[index] = rows.hashes()[row];
  if (single_integer_ && !rows.column(0).has_nulls()) {
    batch.column(0).int64s()[index] = rows.column(0).int64s()[row];
  } else {
    const auto which = static_cast<std::uint16_t>(row);
    for (std::size_t i = 0; i < key_columns_; ++i) {
      batch.column(i).copy_selected(index, rows.column(i), {&which, 1});
    }
  }
  batch.set_size(index + 1);
  pane.place(index);
  ++partials_;
  std::byte* const entry = batch.states(index);
  copy_entry(entry, layout_.initial_entry().data(), layout_.entry_size());
  return entry;
}

LocalPanes::Pane* LocalPanes::pane_of(std::int64_t slice) {
  for (auto pane = open_.rbegin(); pane != open_.rend(); ++pane) {
    if ((*pane)->slice == slice) return pane->get();
  }
  if (slicing_.is_gap(slice) || slicing_.first_window(slice) < first_open_) return nullptr;
  if (!in_any_order_ && slice <= sent_through_) return nullptr;
  if (open_.size() == kPanes && !close_oldest(slice)) {
    sent_through_ = std::max(sent_through_, slice);
    return nullptr;
  }
  if (free_.empty()) free_.push_back(std::make_unique<Pane>(keys_, capacity_));
  open_.push_back(std::move(free_.back()));
  free_.pop_back();
  open_.back()->open(slice, layout_.entry_size(), rows_seen_);
  return open_.back().get();
}

// Rows mostly come to the newest slices. A pane stays for a while at least: where every row is in a
// slice of its own, panes would be all that is made.
bool LocalPanes::close_oldest(std::int64_t newer) {
  const auto oldest = std::min_element(
      open_.begin(), open_.end(), [](const auto& a, const auto& b) { return a->slice < b->slice; });
  if ((*oldest)->slice > newer || rows_seen_ - (*oldest)->opened_at < kShortestLife) return false;
  sent_through_ = std::max(sent_through_, (*oldest)->slice);
  due_.push_back(std::move(*oldest));
  open_.erase(oldest);
  return true;
}

void LocalPanes::close(EventTime watermark) {
  first_open_ = std::max(first_open_, slicing_.first_open_window(watermark));
  close_if([&](const Pane& pane) { return slicing_.first_window(pane.slice) < first_open_; });
}

template <typename Condition>
void LocalPanes::close_if(const Condition& condition) {
  const auto closed = std::stable_partition(open_.begin(), open_.end(),
                                            [&](const auto& pane) { return !condition(*pane); });
  std::move(closed, open_.end(), std::back_inserter(due_));
  open_.erase(closed, open_.end());
}

void LocalPanes::retire() {
  close_if([](const Pane&) { return true; });
  retired_ = true;
}

void LocalPanes::look_at_gain(const LocalAggregationSwitch::Counts& counts) {
  if (!switch_.count(counts)) return;
  close_if([&](const Pane& pane) {
    const bool is_full = pane.size() == capacity_;
    const bool closes = !switch_.on() || rows_seen_ - pane.opened_at > kMostRows ||
                        (in_any_order_ && is_full && switch_.wants_new_keys());
    if (closes) sent_through_ = std::max(sent_through_, pane.slice);
    return closes;
  });
}

Batch* LocalPanes::due() { return due_.empty() ? nullptr : &due_.back()->batch; }

void LocalPanes::sent() {
  if (free_.size() < kPanes) free_.push_back(std::move(due_.back()));
  due_.pop_back();
}

}  // namespace tidemark
