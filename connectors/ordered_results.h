// Puts results into one canonical order, whatever the number of workers and their pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"

namespace tidemark {

// Holds results until the watermark says that no more can come for their window end, then passes
// them on by window end, window start, number of the window specification and key: NULL first, then
// integers (also strings that are canonical integers, see canonical_integer.h) by value, then other
// strings bytewise. A watermark is passed on after the results that it completes.
//
// Holds one copy of each waiting result and 48 bytes; sorting moves the latter only.
class OrderedResults : public ResultSink {
 public:
  // `next` must outlive this.
  OrderedResults(const WindowQuery& query, ResultSink& next);

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

  // Results held now.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  static constexpr std::size_t kBlockRows = 4096;

  enum class KeyClass : std::uint8_t { kNull, kInteger, kString };

  // A key column's place in the order; for strings their first bytes, which may tie.
  struct KeyRank {
    KeyClass key_class = KeyClass::kNull;
    std::uint64_t order = 0;
  };

  // A waiting result: the first key's rank is kept at hand, the rest is looked up.
  struct Entry {
    EventTime end;
    EventTime start;
    KeyRank rank;
    std::uint32_t window;
    std::uint32_t block;
    std::uint16_t row;
  };

  // Held rows, until the last of them has gone.
  struct Block {
    Batch rows;
    std::size_t waiting = 0;
  };

  static KeyRank rank_of(const Column& column, std::size_t row);
  int compare_key(std::size_t key, const Entry& a, const Entry& b) const;
  bool comes_before(const Entry& a, const Entry& b) const;
  std::uint32_t open_block();
  void pass_on(std::vector<Entry>& entries);
  void flush_out();
  void copy_row(const Entry& entry);

  Schema schema_;
  std::size_t first_key_;
  std::size_t key_count_;
  ResultSink& next_;
  std::vector<Entry> waiting_;
  std::vector<Entry> ready_;
  EventTime earliest_end_ = kEndOfTime;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::uint32_t current_block_ = 0;
  Batch out_;
};

}  // namespace tidemark
