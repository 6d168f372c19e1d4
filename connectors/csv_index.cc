#include "tidemark/connectors/csv_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tidemark/connectors/text_block.h"

namespace tidemark {

namespace {

constexpr std::size_t kRoom = CsvIndex::kBytes + 1 + kTextBlock;

// Writes `base` + the number of each bit that is set. Eight are written without asking how many
// there are, which costs less than to mispredict it.
inline void write_places(std::uint64_t bits, std::uint32_t base, std::uint32_t* places) {
  while (bits != 0) {
    for (int i = 0; i < 8; ++i) {
      *places++ = base + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  }
}

// Writes `base` + how many of `marks` are up to each line feed, itself included.
inline void write_ranks(std::uint64_t line_feeds, std::uint64_t marks, std::uint32_t base,
                        std::uint32_t* ranks) {
  do {
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t up_to = line_feeds ^ (line_feeds - 1);
      *ranks++ = base + static_cast<std::uint32_t>(std::popcount(marks & up_to));
      line_feeds &= line_feeds - 1;
    }
  } while (line_feeds != 0);
}

}  // namespace

CsvIndex::CsvIndex(char delimiter)
    : delimiter_(delimiter),
      ends_(std::make_unique_for_overwrite<std::uint32_t[]>(kRoom)),
      row_ends_(std::make_unique_for_overwrite<std::uint32_t[]>(kRoom)) {
  ends_[0] = static_cast<std::uint32_t>(-1);
  row_ends_[0] = 0;
}

void CsvIndex::build(std::string_view text) {
  const std::size_t size = std::min(text.size(), kBytes);
  std::uint32_t mark_count = 0;
  std::size_t rows = 0;
  has_quotes_ = false;
  Carry carry;
  std::array<char, kTextBlock> last{};
  for (std::size_t at = 0; at < size; at += kTextBlock) {
    const char* block = text.data() + at;
    if (size - at < kTextBlock) {
      // Bytes behind the end may not be touched: they can lie on a page that is not there.
      std::memcpy(last.data(), block, size - at);
      block = last.data();
    }
    std::uint64_t line_feeds = bytes_equal_to(block, '\n');
    std::uint64_t marks = bytes_equal_to(block, delimiter_) | line_feeds;
    const std::uint64_t quotes = bytes_equal_to(block, '"');
    if (size - at < kTextBlock) {  // the delimiter may be a zero byte
      const std::uint64_t inside_text = (std::uint64_t{1} << (size - at)) - 1;
      marks &= inside_text;
    }
    if ((quotes | carry.inside | carry.after_close | carry.after_close_and_return) != 0) {
      if (!follow_quotes(block, quotes, carry, marks, line_feeds)) break;
    }
    carry.cell_starts = marks >> 63;
    write_places(marks, static_cast<std::uint32_t>(at), ends_.get() + mark_count + 1);
    write_ranks(line_feeds, marks, mark_count, row_ends_.get() + rows + 1);
    mark_count += static_cast<std::uint32_t>(std::popcount(marks));
    rows += static_cast<std::size_t>(std::popcount(line_feeds));
  }
  rows_ = rows;
}

// Takes away the marks inside quotes. False if a quote neither opens a cell nor closes one nor is
// one of two inside, or something else than a cell's end follows a closing quote.
bool CsvIndex::follow_quotes(const char* block, std::uint64_t quotes, Carry& carry,
                             std::uint64_t& marks, std::uint64_t& line_feeds) {
  has_quotes_ = true;
  const std::uint64_t inside = parity_so_far(quotes) ^ carry.inside;
  const std::uint64_t opening = quotes & inside;
  const std::uint64_t closing = quotes & ~inside;
  marks &= ~inside;
  line_feeds &= ~inside;
  const std::uint64_t returns = bytes_equal_to(block, '\r');
  const std::uint64_t cell_starts = marks << 1 | carry.cell_starts;
  const std::uint64_t after_close = closing << 1 | carry.after_close;
  const std::uint64_t returns_after_close = after_close & returns & ~marks;
  const std::uint64_t after_return = returns_after_close << 1 | carry.after_close_and_return;
  carry.inside = std::uint64_t{0} - (inside >> 63);
  carry.after_close = closing >> 63;
  carry.after_close_and_return = returns_after_close >> 63;
  return ((opening & ~(cell_starts | after_close)) |
          (after_close & ~(marks | opening | returns_after_close)) |
          (after_return & ~line_feeds)) == 0;
}

}  // namespace tidemark
