#include "tidemark/connectors/ordered_results.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "tidemark/connectors/canonical_integer.h"

namespace tidemark {

namespace {

constexpr std::size_t kWindowStart = 0;
constexpr std::size_t kWindowEnd = 1;
constexpr std::size_t kFirstKey = 2;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// The order of signed integers, as unsigned ones.
std::uint64_t biased(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ kSignBit; }

// The first eight bytes as a number that compares as the bytes do.
std::uint64_t prefix_of(std::string_view text) {
  std::uint64_t bytes = 0;
  // An empty text may have no address to copy from.
  text.copy(reinterpret_cast<char*>(&bytes), sizeof bytes);
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes;
}

// Count windows may end anywhere, and a session takes back what it has said under older bounds
// whenever it fires next.
bool may_come_at_any_time(const WindowQuery& query) {
  return std::any_of(query.windows.begin(), query.windows.end(), [&](const WindowSpec& window) {
    return window.kind == WindowKind::kCount ||
           (window.kind == WindowKind::kSession && query.accumulation == Accumulation::kRetracting);
  });
}

}  // namespace

OrderedResults::OrderedResults(const WindowQuery& query, ResultSink& next,
                               const std::vector<bool>& unsigned_keys)
    : schema_(query.result_schema()),
      key_count_(query.keys.size()),
      hold_(may_come_at_any_time(query) ? kEndOfTime : query.lateness),
      has_repeats_(query.lateness > 0 || query.carries_watermarks()),
      integer_bias_(key_count_, kSignBit),
      next_(next),
      out_(schema_) {
  for (std::size_t key = 0; key < unsigned_keys.size(); ++key) {
    if (unsigned_keys[key]) integer_bias_[key] = 0;
  }
  blocks_.push_back(std::make_unique<Block>(Block{Batch(schema_, kBlockRows)}));
}

void OrderedResults::rank(std::size_t key, const Column& column, std::size_t row,
                          Entry& entry) const {
  if (column.has_nulls() && column.is_null(row)) {
    entry.key_class = KeyClass::kNull;
    entry.order = 0;
    return;
  }
  entry.key_class = KeyClass::kInteger;
  if (column.type() == ColumnType::kInt64) {
    entry.order = static_cast<std::uint64_t>(column.int64s()[row]) ^ integer_bias_[key];
    return;
  }
  const std::string_view text = column.string(row);
  if (const auto value = canonical_integer(text)) {
    entry.order = biased(*value);
    return;
  }
  entry.key_class = KeyClass::kString;
  entry.order = prefix_of(text);
}

bool OrderedResults::comes_before(const Entry& a, const Entry& b) const {
  if (a.key_class != b.key_class) return a.key_class < b.key_class;
  if (a.order != b.order) return a.order < b.order;
  return tie_comes_before(a, b);
}

bool OrderedResults::tie_comes_before(const Entry& a, const Entry& b) const {
  Entry rank_a = a;
  Entry rank_b = b;
  for (std::size_t key = 0; key < key_count_; ++key) {
    const Column& column_a = blocks_[a.block]->rows.column(kFirstKey + key);
    const Column& column_b = blocks_[b.block]->rows.column(kFirstKey + key);
    if (key > 0) {
      rank(key, column_a, a.row, rank_a);
      rank(key, column_b, b.row, rank_b);
      if (rank_a.key_class != rank_b.key_class) return rank_a.key_class < rank_b.key_class;
      if (rank_a.order != rank_b.order) return rank_a.order < rank_b.order;
    }
    if (rank_a.key_class != KeyClass::kString) continue;
    const int order = column_a.string(a.row).compare(column_b.string(b.row));
    if (order != 0) return order < 0;
  }
  return false;
}

std::uint32_t OrderedResults::open_block() {
  Block& current = *blocks_[current_block_];
  if (!current.rows.full()) return current_block_;
  if (free_blocks_.empty()) {
    blocks_.push_back(std::make_unique<Block>(Block{Batch(schema_, kBlockRows)}));
    current_block_ = static_cast<std::uint32_t>(blocks_.size() - 1);
  } else {
    current_block_ = free_blocks_.back();
    free_blocks_.pop_back();
  }
  return current_block_;
}

std::vector<OrderedResults::Entry>& OrderedResults::entries_of(const WindowId& window) {
  if (last_window_ != nullptr && *last_window_ == window) return *last_entries_;
  const auto [place, added] = waiting_.try_emplace(window);
  if (added) place->second.swap(spare_);
  last_window_ = &place->first;
  last_entries_ = &place->second;
  return *last_entries_;
}

void OrderedResults::accept(const Batch& results) {
  std::size_t row = 0;
  while (row < results.size()) {
    const std::uint32_t block = open_block();
    Batch& rows = blocks_[block]->rows;
    const std::size_t at = rows.size();
    const std::size_t count = std::min(results.size() - row, rows.capacity() - at);
    rows.append_range(results, row, row + count);
    blocks_[block]->waiting += count;
    for (std::size_t i = at; i < at + count; ++i) {
      const WindowId window{rows.column(kWindowEnd).int64s()[i],
                            rows.column(kWindowStart).int64s()[i], results.header.window};
      Entry entry;
      entry.block = block;
      entry.row = static_cast<std::uint16_t>(i);
      if (key_count_ > 0) rank(0, rows.column(kFirstKey), i, entry);
      entries_of(window).push_back(entry);
    }
    row += count;
  }
  waiting_count_ += results.size();
}

void OrderedResults::on_watermark(EventTime watermark) {
  while (!waiting_.empty() && saturating_add(waiting_.begin()->first.end - 1, hold_) <= watermark) {
    pass_on_first_window();
  }
  next_.on_watermark(watermark);
}

void OrderedResults::pass_on_first_window() {
  auto window = waiting_.extract(waiting_.begin());
  last_window_ = nullptr;
  std::vector<Entry>& entries = window.mapped();
  const auto order = [this](const Entry& a, const Entry& b) { return comes_before(a, b); };
  if (has_repeats_) {
    std::stable_sort(entries.begin(), entries.end(), order);
  } else {
    std::sort(entries.begin(), entries.end(), order);
  }
  std::span<const Entry> left = entries;
  while (!left.empty()) {
    const std::span<const Entry> now = left.first(std::min(left.size(), out_.capacity()));
    left = left.subspan(now.size());
    std::fill_n(out_.times(), now.size(), window.key().end - 1);
    for (std::size_t i = 0; i < schema_.size(); ++i) copy_column(now, i);
    out_.set_size(now.size());
    out_.header.window = window.key().number;
    next_.accept(out_);
    out_.clear();
  }
  release(entries);
  waiting_count_ -= entries.size();
  entries.clear();
  spare_.swap(entries);
}

void OrderedResults::copy_column(std::span<const Entry> entries, std::size_t index) {
  Column& to = out_.column(index);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Column& from = blocks_[entries[i].block]->rows.column(index);
    const std::size_t row = entries[i].row;
    if (from.has_nulls() && from.is_null(row)) {
      to.set_null(i);
    } else if (to.type() == ColumnType::kString) {
      to.set_string(i, from.string(row));
    } else if (to.type() == ColumnType::kDouble) {
      to.doubles()[i] = from.doubles()[row];
    } else {
      to.int64s()[i] = from.int64s()[row];
    }
  }
}

void OrderedResults::release(std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    Block& block = *blocks_[entry.block];
    if (--block.waiting > 0) continue;
    // Only the current block may still have room; every other one is full.
    block.rows.clear();
    if (entry.block != current_block_) free_blocks_.push_back(entry.block);
  }
}

void OrderedResults::finish() {
  while (!waiting_.empty()) pass_on_first_window();
  next_.finish();
}

}  // namespace tidemark
