#include "tidemark/connectors/ordered_results.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "tidemark/connectors/canonical_integer.h"

namespace tidemark {

namespace {

constexpr std::size_t kWindowStart = 0;
constexpr std::size_t kWindowEnd = 1;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// The order of signed integers, as unsigned ones.
std::uint64_t biased(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ kSignBit; }

// The first eight bytes as a number that compares as the bytes do.
std::uint64_t prefix_of(std::string_view text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes;
}

}  // namespace

OrderedResults::OrderedResults(const WindowQuery& query, ResultSink& next)
    : schema_(query.result_schema()),
      first_key_(kWindowEnd + 1),
      key_count_(query.keys.size()),
      next_(next),
      out_(schema_) {
  blocks_.push_back(std::make_unique<Block>(Block{Batch(schema_, kBlockRows)}));
}

OrderedResults::KeyRank OrderedResults::rank_of(const Column& column, std::size_t row) {
  if (column.has_nulls() && column.is_null(row)) return {};
  if (column.type() == ColumnType::kInt64)
    return {KeyClass::kInteger, biased(column.int64s()[row])};
  const std::string_view text = column.string(row);
  if (const auto value = canonical_integer(text)) return {KeyClass::kInteger, biased(*value)};
  return {KeyClass::kString, prefix_of(text)};
}

int OrderedResults::compare_key(std::size_t key, const Entry& a, const Entry& b) const {
  const Column& column_a = blocks_[a.block]->rows.column(first_key_ + key);
  const Column& column_b = blocks_[b.block]->rows.column(first_key_ + key);
  const KeyRank rank_a = key == 0 ? a.rank : rank_of(column_a, a.row);
  const KeyRank rank_b = key == 0 ? b.rank : rank_of(column_b, b.row);
  if (rank_a.key_class != rank_b.key_class) return rank_a.key_class < rank_b.key_class ? -1 : 1;
  if (rank_a.order != rank_b.order) return rank_a.order < rank_b.order ? -1 : 1;
  if (rank_a.key_class != KeyClass::kString) return 0;
  return column_a.string(a.row).compare(column_b.string(b.row));
}

bool OrderedResults::comes_before(const Entry& a, const Entry& b) const {
  if (a.end != b.end) return a.end < b.end;
  if (a.start != b.start) return a.start < b.start;
  if (a.window != b.window) return a.window < b.window;
  for (std::size_t key = 0; key < key_count_; ++key) {
    const int order = compare_key(key, a, b);
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
      Entry entry{.end = rows.column(kWindowEnd).int64s()[i],
                  .start = rows.column(kWindowStart).int64s()[i],
                  .rank = key_count_ == 0 ? KeyRank{} : rank_of(rows.column(first_key_), i),
                  .window = results.header.window,
                  .block = block,
                  .row = static_cast<std::uint16_t>(i)};
      earliest_end_ = std::min(earliest_end_, entry.end);
      waiting_.push_back(entry);
    }
    row += count;
  }
}

void OrderedResults::on_watermark(EventTime watermark) {
  if (!waiting_.empty() && earliest_end_ - 1 <= watermark) {
    const auto complete = std::stable_partition(
        waiting_.begin(), waiting_.end(),
        [watermark](const Entry& entry) { return entry.end - 1 > watermark; });
    ready_.assign(complete, waiting_.end());
    waiting_.erase(complete, waiting_.end());
    earliest_end_ = kEndOfTime;
    for (const Entry& entry : waiting_) earliest_end_ = std::min(earliest_end_, entry.end);
    pass_on(ready_);
  }
  next_.on_watermark(watermark);
}

void OrderedResults::pass_on(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  for (const Entry& entry : entries) {
    if (out_.full() || (!out_.empty() && out_.header.window != entry.window)) {
      flush_out();
    }
    out_.header.window = entry.window;
    copy_row(entry);
  }
  flush_out();
  for (const Entry& entry : entries) {
    Block& block = *blocks_[entry.block];
    if (--block.waiting > 0) continue;
    const bool filled = block.rows.full();
    block.rows.clear();
    if (filled && entry.block != current_block_) free_blocks_.push_back(entry.block);
  }
}

void OrderedResults::copy_row(const Entry& entry) {
  const Batch& from = blocks_[entry.block]->rows;
  out_.append_range(from, entry.row, entry.row + std::size_t{1});
}

void OrderedResults::flush_out() {
  if (!out_.empty()) next_.accept(out_);
  out_.clear();
}

void OrderedResults::finish() {
  pass_on(waiting_);
  waiting_.clear();
  earliest_end_ = kEndOfTime;
  next_.finish();
}

}  // namespace tidemark
