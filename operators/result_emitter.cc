#include "tidemark/operators/result_emitter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark {

namespace {
constexpr std::size_t kStartColumn = 0;
constexpr std::size_t kEndColumn = 1;
constexpr std::size_t kFirstKeyColumn = 2;
constexpr std::size_t kEmitChunk = 256;
}  // namespace

ResultEmitter::ResultEmitter(const KeyTable& keys, const WindowQuery& query, ResultOutput& output)
    : keys_(keys), query_(query), output_(output) {}

void ResultEmitter::begin_window(std::uint32_t specification, EventTime start, EventTime end) {
  if (specification != specification_) flush();
  specification_ = specification;
  start_ = start;
  end_ = end;
}

std::size_t ResultEmitter::room() {
  if (batch_ != nullptr && batch_->full()) flush();
  if (batch_ == nullptr) {
    batch_ = output_.acquire();
    if (batch_ == nullptr) return 0;
    batch_->header.window = specification_;
  }
  return batch_->capacity() - batch_->size();
}

std::size_t ResultEmitter::begin_rows(std::span<const std::uint32_t> slots) {
  const std::size_t at = batch_->size();
  fill_bounds(*batch_, at, slots.size());
  keys_.copy_keys(slots, *batch_, kFirstKeyColumn, at);
  if (query_.reports_panes) fill_panes(at, slots.size());
  batch_->set_size(at + slots.size());
  results_ += slots.size();
  return at;
}

void ResultEmitter::fill_bounds(Batch& batch, std::size_t at, std::size_t n) const {
  std::fill_n(batch.times() + at, n, end_ - 1);
  std::fill_n(batch.column(kStartColumn).int64s() + at, n, start_);
  std::fill_n(batch.column(kEndColumn).int64s() + at, n, end_);
}

void ResultEmitter::fill_panes(std::size_t at, std::size_t n) {
  const std::size_t first = kFirstKeyColumn + query_.keys.size() + query_.aggregates.size();
  Column& timings = batch_->column(first);
  Column& changes = batch_->column(first + 2);
  const std::string_view timing = to_string(pane_.timing);
  const std::string_view change = to_string(pane_.change);
  for (std::size_t row = at; row < at + n; ++row) {
    timings.set_string(row, timing);
    changes.set_string(row, change);
  }
  std::fill_n(batch_->column(first + 1).int64s() + at, n, pane_.index);
}

void ResultEmitter::add_overflow(std::uint32_t slot, std::size_t aggregate) {
  overflows_.add({start_, end_, keys_.text(slot), query_.aggregates[aggregate].name});
}

void ResultEmitter::emit(const AggregateLayout& layout, std::span<const std::uint32_t> slots,
                         const std::byte* const* a, const std::byte* const* b) {
  const std::size_t at = begin_rows(slots);
  cell_overflows_.clear();
  layout.lower(a, b, slots.size(), *batch_, kFirstKeyColumn + query_.keys.size(), at,
               cell_overflows_);
  for (const CellOverflow& overflow : cell_overflows_) {
    add_overflow(slots[overflow.row], overflow.aggregate);
  }
}

void ResultEmitter::emit_windows(const AggregateLayout& layout,
                                 std::span<const std::uint32_t> slots, const EventTime* starts,
                                 const EventTime* ends, const std::byte* const* entries) {
  const std::size_t at = begin_rows(slots);
  const std::size_t n = slots.size();
  for (std::size_t i = 0; i < n; ++i) batch_->times()[at + i] = ends[i] - 1;
  std::copy_n(starts, n, batch_->column(kStartColumn).int64s() + at);
  std::copy_n(ends, n, batch_->column(kEndColumn).int64s() + at);
  cell_overflows_.clear();
  layout.lower(entries, nullptr, n, *batch_, kFirstKeyColumn + query_.keys.size(), at,
               cell_overflows_);
  for (const CellOverflow& overflow : cell_overflows_) {
    start_ = starts[overflow.row];
    end_ = ends[overflow.row];
    add_overflow(slots[overflow.row], overflow.aggregate);
  }
}

std::size_t ResultEmitter::emit_live(std::span<const std::uint32_t> slots, LiveResults& results,
                                     std::size_t from, std::size_t to) {
  if (keys_.are_plain()) results.keep_keys(keys_, slots);
  const bool lends = output_.reads_in_place() && !query_.reports_panes;
  // What came before goes first.
  if (lends && batch_ != nullptr && !batch_->empty()) flush();
  while (from < to) {
    const std::size_t room = lends ? LiveResults::run_from(from) : this->room();
    if (room == 0) break;
    const std::size_t n = std::min(to - from, room);
    if (lends) {
      lend_live(slots.subspan(from, n), results, from);
    } else {
      copy_live(slots.subspan(from, n), results, from);
    }
    add_overflows(slots.subspan(from, n), results, from);
    results_ += n;
    from += n;
  }
  return from;
}

void ResultEmitter::lend_live(std::span<const std::uint32_t> slots, const LiveResults& results,
                              std::size_t from) {
  if (lent_ == nullptr) {
    lent_ = std::make_unique<Batch>(query_.result_schema(), LiveResults::kRun);
  }
  if (lent_bounds_ != std::pair(start_, end_)) {
    lent_bounds_ = {start_, end_};
    fill_bounds(*lent_, 0, lent_->capacity());
  }
  lent_->header.window = specification_;
  if (keys_.are_plain()) {
    results.lend_keys(from, *lent_, kFirstKeyColumn);
  } else {
    keys_.copy_keys(slots, *lent_, kFirstKeyColumn, 0);
  }
  results.lend(from, slots.size(), *lent_, kFirstKeyColumn + query_.keys.size());
  lent_->header.watermark = complete_through_;
  lent_->set_size(slots.size());
  output_.deliver(lent_.get());
}

void ResultEmitter::copy_live(std::span<const std::uint32_t> slots, const LiveResults& results,
                              std::size_t from) {
  const std::size_t at = batch_->size();
  fill_bounds(*batch_, at, slots.size());
  if (keys_.are_plain()) {
    results.copy_keys(from, slots.size(), *batch_, kFirstKeyColumn, at);
  } else {
    keys_.copy_keys(slots, *batch_, kFirstKeyColumn, at);
  }
  results.copy(from, slots.size(), *batch_, kFirstKeyColumn + query_.keys.size(), at);
  if (query_.reports_panes) fill_panes(at, slots.size());
  batch_->set_size(at + slots.size());
}

void ResultEmitter::add_overflows(std::span<const std::uint32_t> slots, const LiveResults& results,
                                  std::size_t from) {
  if (results.overflows().empty()) return;
  for (auto cell = results.overflows().lower_bound({from, 0});
       cell != results.overflows().end() && cell->first < from + slots.size(); ++cell) {
    add_overflow(slots[cell->first - from], cell->second);
  }
}

std::size_t ResultEmitter::emit_entries(const AggregateLayout& layout, const std::byte* entries,
                                        std::size_t n, std::size_t from) {
  std::array<std::uint32_t, kEmitChunk> slots;
  std::array<const std::byte*, kEmitChunk> rows;
  while (from < n) {
    const std::size_t take = std::min({n - from, room(), kEmitChunk});
    if (take == 0) break;
    for (std::size_t i = 0; i < take; ++i) {
      rows[i] = entries + (from + i) * layout.entry_size();
      slots[i] = entry_header(rows[i]).slot;
    }
    emit(layout, {slots.data(), take}, rows.data(), nullptr);
    from += take;
  }
  return from;
}

void ResultEmitter::emit_pane(const AggregateLayout& layout, const std::byte* entry,
                              const PaneInfo& pane) {
  const std::uint32_t slot = entry_header(entry).slot;
  pane_ = pane;
  emit(layout, {&slot, 1}, &entry, nullptr);
  pane_ = PaneInfo{};
}

void ResultEmitter::flush() {
  if (batch_ == nullptr) return;
  batch_->header.watermark = complete_through_;
  output_.deliver(batch_);
  batch_ = nullptr;
}

}  // namespace tidemark
