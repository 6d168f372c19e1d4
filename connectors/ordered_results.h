// Puts results into one canonical order, whatever the number of workers and their pace.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/operators/query.h"
#include "tidemark/operators/sink.h"

namespace tidemark {

// Holds results until the watermark says that no more can come for their window end, then passes
// them on by window end, window start, number of the window specification and key: NULL first, then
// integers (also strings that are canonical integers, see canonical_integer.h) by value, then other
// strings bytewise. Firings of the same window and key stay in their order. A watermark is passed
// on after the results that it completes. Where windows fire again within allowed lateness, results
// are held as long; count windows may end anywhere, and retracting sessions take back old bounds at
// any time, so with them all results are held to the end.
//
// Holds one copy of each waiting result and 16 bytes; sorting moves the latter only.
class OrderedResults : public ResultSink {
 public:
  // `next` must outlive this. `unsigned_keys` tells, by key column, whether integers are the bits
  // of unsigned numbers; empty: none are.
  OrderedResults(const WindowQuery& query, ResultSink& next,
                 const std::vector<bool>& unsigned_keys = {});

  void accept(const Batch& results) override;
  void on_watermark(EventTime watermark) override;
  void finish() override;

  // Results held now.
  std::size_t waiting() const { return waiting_count_; }

 private:
  static constexpr std::size_t kBlockRows = 4096;

  enum class KeyClass : std::uint8_t { kNull, kInteger, kString };

  // Windows in the order of the output.
  struct WindowId {
    EventTime end = 0;
    EventTime start = 0;
    std::uint32_t number = 0;
    friend auto operator<=>(const WindowId&, const WindowId&) = default;
  };

  // A waiting result: where it is, and its first key's place in the order; for strings that is
  // their first bytes, which may tie.
  struct Entry {
    std::uint64_t order = 0;
    std::uint32_t block = 0;
    std::uint16_t row = 0;
    KeyClass key_class = KeyClass::kNull;
  };

  // Held rows, until the last of them has gone.
  struct Block {
    Batch rows;
    std::size_t waiting = 0;
  };

  void rank(std::size_t key, const Column& column, std::size_t row, Entry& entry) const;
  bool comes_before(const Entry& a, const Entry& b) const;
  bool tie_comes_before(const Entry& a, const Entry& b) const;
  std::uint32_t open_block();
  std::vector<Entry>& entries_of(const WindowId& window);
  void pass_on_first_window();
  void copy_column(std::span<const Entry> entries, std::size_t index);
  void release(std::span<const Entry> entries);

  Schema schema_;
  std::size_t key_count_;
  // How long after a window's end results may still come, in ms of event time.
  std::int64_t hold_;
  bool has_repeats_;  // several results of one window and key
  // By key column: what makes its integers compare as unsigned numbers.
  std::vector<std::uint64_t> integer_bias_;
  ResultSink& next_;
  std::map<WindowId, std::vector<Entry>> waiting_;
  std::size_t waiting_count_ = 0;
  // The window that got the last result, if it still waits.
  const WindowId* last_window_ = nullptr;
  std::vector<Entry>* last_entries_ = nullptr;
  std::vector<Entry> spare_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::uint32_t current_block_ = 0;
  Batch out_;
};

}  // namespace tidemark
