// Sessions by number, each with its bounds and the state of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// An entry (see aggregate_kernel.h) lies behind it.
struct SessionRecord {
  // Of a record without a session. Every watermark has passed it.
  static constexpr EventTime kNoEnd = kNoWatermark + 1;
  static constexpr std::uint32_t kNoOther = ~std::uint32_t{0};

  EventTime start;
  EventTime end;
  std::uint32_t other;  // the number of another session of the key, or kNoOther

  bool empty() const { return end == kNoEnd; }
  // The last ms that belongs to it: it is complete when the watermark has come here.
  EventTime last_ms() const { return end - 1; }

  std::byte* entry() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* entry() const { return reinterpret_cast<const std::byte*>(this + 1); }
};

// An array that grows by pages: records stay where they are, so there is no pause to copy them, and
// pointers last until the array shrinks. Not thread-safe.
class SessionRecords {
 public:
  SessionRecords(const AggregateLayout& layout, std::pmr::memory_resource& memory);
  ~SessionRecords();
  SessionRecords(const SessionRecords&) = delete;
  SessionRecords& operator=(const SessionRecords&) = delete;

  std::size_t size() const { return size_; }
  SessionRecord& operator[](std::size_t number) { return *at(number); }
  const SessionRecord& operator[](std::size_t number) const { return *at(number); }

  // New records are empty. Shrinking gives pages back.
  void resize(std::size_t size);
  // Moves a session to a record that has none; its own has none then.
  void move(std::size_t from, std::size_t to);
  // Copies bounds and entry alone.
  void copy_session(const SessionRecord& from, SessionRecord& to) const;

  // Asks for a record that will be read and written.
  void prefetch(std::size_t number) const {
    const auto* const record = reinterpret_cast<const std::byte*>(at(number));
    __builtin_prefetch(record, 1);
    __builtin_prefetch(record + stride_ - 1, 1);
  }

 private:
  static constexpr std::size_t kPageRecords = 256;

  SessionRecord* at(std::size_t number) const {
    return reinterpret_cast<SessionRecord*>(pages_[number / kPageRecords] +
                                            number % kPageRecords * stride_);
  }
  void add_page();

  std::size_t stride_;
  std::size_t entry_size_;
  std::size_t size_ = 0;
  std::pmr::vector<std::byte*> pages_;
};

}  // namespace tidemark
