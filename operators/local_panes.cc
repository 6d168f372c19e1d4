#include "tidemark/operators/local_panes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "tidemark/operators/event_time_range.h"

namespace tidemark {

namespace {

// What a chunk of rows touches stays in the first-level cache from one loop to the next.
constexpr std::size_t kChunk = LocalPane::kRun;
// Rows that a pane is open for before it may give way to one of a newer slice.
constexpr std::uint64_t kShortestLife = 256;
// An entry counts its rows in 32 bits, and a pane is looked at once a period.
constexpr std::uint64_t kMostRowsOfEntry = std::uint64_t{1} << 31;

}  // namespace

LocalPanes::LocalPanes(const WindowQuery& query, const WindowPlan& plan, LocalAggregation choice,
                       std::size_t entries)
    : capacity_(entries),
      key_columns_(query.keys.size()),
      key_schema_(query.keys),
      in_any_order_(adds_up_in_any_order(query)),
      layout_(query.values, query.aggregates, plan.strategy == Strategy::kSubtract),
      slicing_(plan.window, zone_clock_of(query.zone)),
      switch_(choice),
      keys_(query.keys, *std::pmr::get_default_resource()),
      slots_(kChunk),
      all_rows_(kChunk),
      taken_(kChunk),
      entries_(kChunk),
      discarded_(layout_.entry_size()) {
  keys_.limit_to(capacity_);
  std::iota(all_rows_.begin(), all_rows_.end(), std::uint16_t{0});
}

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
    const EventTime latest = highest_of({rows.times() + begin, rows.times() + end}, kNoWatermark);
    sent_through_ = std::max(sent_through_, slicing_.slice_of(latest));
  }
  if (!retired_) look_at_gain({end - begin, 0, 0, 0});
}

bool LocalPanes::passes_all(const Batch& rows, std::size_t begin, std::size_t end) {
  if (!retired_ && (switch_.on() || end - begin >= switch_.rows_left())) return false;
  if (begin < end) pass_part(rows, begin, end);
  return true;
}

// Rows from `row` on that are in the same slice as it, mostly all.
std::size_t LocalPanes::end_of_run(const EventTime* times, std::size_t row, std::size_t end) {
  if (times[row] < span_.begin || times[row] >= span_.end) span_ = slicing_.span_of(times[row]);
  if (all_within({times + row, times + end}, span_.begin, span_.end)) return end;
  std::size_t after = row + 1;
  while (after < end && times[after] >= span_.begin && times[after] < span_.end) ++after;
  return after;
}

void LocalPanes::take_chunk(const Batch& rows, std::size_t begin, std::size_t end) {
  const EventTime* const times = rows.times();
  const std::size_t refused_before = refused_.size();
  std::size_t looked_up = begin;  // rows before this have their slots
  for (std::size_t row = begin; row < end;) {
    const std::size_t after = end_of_run(times, row, end);
    std::byte** const entries = entries_.data() + (row - begin);
    if (LocalPane* pane = pane_of(span_.slice)) {
      if (looked_up < after) {
        keys_.find_or_insert(rows, row, {slots_.data() + (row - begin), end - row});
        looked_up = end;
      }
      take_run(rows, row, {slots_.data() + (row - begin), after - row}, *pane, entries);
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

void LocalPanes::take_run(const Batch& rows, std::size_t begin,
                          std::span<const std::uint32_t> slots, LocalPane& pane,
                          std::byte** entries) {
  const std::size_t before = pane.size();
  if (is_full() && std::ranges::find(slots, KeyTable::kNoSlot) != slots.end()) {
    take_some(rows, begin, slots, pane, entries);
  } else {
    pane.find_or_add({rows, begin, std::span(all_rows_).first(slots.size())}, slots, never_null_,
                     entries);
  }
  partials_ += pane.size() - before;
}

// The rows whose keys have slots. Which do is as good as random: they are picked without a branch.
void LocalPanes::take_some(const Batch& rows, std::size_t begin,
                           std::span<const std::uint32_t> slots, LocalPane& pane,
                           std::byte** entries) {
  std::array<std::uint32_t, kChunk> taken_slots;
  std::array<std::byte*, kChunk> taken_entries;
  const std::size_t refused_before = refused_.size();
  refused_.resize(refused_before + slots.size());
  std::uint16_t* const refused = refused_.data() + refused_before;
  std::uint16_t* const taken = taken_.data();
  std::size_t n = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool has_slot = slots[i] != KeyTable::kNoSlot;
    taken[n] = static_cast<std::uint16_t>(i);
    refused[i - n] = static_cast<std::uint16_t>(begin + i);
    taken_slots[n] = slots[i];
    n += static_cast<std::size_t>(has_slot);
  }
  refused_.resize(refused_before + slots.size() - n);
  pane.find_or_add({rows, begin, {taken, n}}, {taken_slots.data(), n}, never_null_,
                   taken_entries.data());
  std::fill_n(entries, slots.size(), discarded_.data());
  for (std::size_t i = 0; i < n; ++i) entries[taken[i]] = taken_entries[i];
}

void LocalPanes::refuse(std::size_t row, std::byte*& entry) {
  refused_.push_back(static_cast<std::uint16_t>(row));
  entry = discarded_.data();
}

LocalPane* LocalPanes::pane_of(std::int64_t slice) {
  for (auto pane = open_.rbegin(); pane != open_.rend(); ++pane) {
    if ((*pane)->slice() == slice) return pane->get();
  }
  if (slicing_.is_gap(slice) || slicing_.first_window(slice) < first_open_) return nullptr;
  if (!in_any_order_ && slice <= sent_through_) return nullptr;
  if (open_.size() == kPanes && !close_oldest(slice)) {
    sent_through_ = std::max(sent_through_, slice);
    return nullptr;
  }
  if (free_.empty()) free_.push_back(std::make_unique<LocalPane>(layout_, key_schema_, capacity_));
  open_.push_back(std::move(free_.back()));
  free_.pop_back();
  open_.back()->open(slice, rows_seen_);
  return open_.back().get();
}

// Rows mostly come to the newest slices. A pane stays for a while at least: where every row is in a
// slice of its own, panes would be all that is made.
bool LocalPanes::close_oldest(std::int64_t newer) {
  const auto oldest =
      std::min_element(open_.begin(), open_.end(),
                       [](const auto& a, const auto& b) { return a->slice() < b->slice(); });
  if ((*oldest)->slice() > newer || rows_seen_ - (*oldest)->opened_at() < kShortestLife)
    return false;
  sent_through_ = std::max(sent_through_, (*oldest)->slice());
  due_.push_back(std::move(*oldest));
  open_.erase(oldest);
  return true;
}

void LocalPanes::close(EventTime watermark) {
  first_open_ = std::max(first_open_, slicing_.first_open_window(watermark));
  close_if(
      [&](const LocalPane& pane) { return slicing_.first_window(pane.slice()) < first_open_; });
}

template <typename Condition>
void LocalPanes::close_if(const Condition& condition) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (condition(*open_[i])) {
      due_.push_back(std::move(open_[i]));
    } else if (kept++ < i) {
      open_[kept - 1] = std::move(open_[i]);
    }
  }
  open_.resize(kept);
  // No pane refers to keys: those of the next slices may be others.
  if (open_.empty() && is_full()) keys_.clear();
}

void LocalPanes::retire() {
  close_if([](const LocalPane&) { return true; });
  retired_ = true;
}

void LocalPanes::look_at_gain(const LocalAggregationSwitch::Counts& counts) {
  if (!switch_.count(counts)) return;
  const bool makes_room = in_any_order_ && is_full() && switch_.wants_new_keys();
  close_if([&](const LocalPane& pane) {
    const bool closes =
        !switch_.on() || makes_room || rows_seen_ - pane.opened_at() > kMostRowsOfEntry;
    if (closes) sent_through_ = std::max(sent_through_, pane.slice());
    return closes;
  });
}

Batch* LocalPanes::due() { return due_.empty() ? nullptr : &due_.back()->batch(); }

void LocalPanes::sent() {
  if (free_.size() < kPanes) free_.push_back(std::move(due_.back()));
  due_.pop_back();
}

}  // namespace tidemark
