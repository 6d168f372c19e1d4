// Values in the order in which they came, shared between entries without copying them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <utility>
#include <vector>

#include "tidemark/runtime/time.h"

namespace tidemark {

struct TimedValue {
  EventTime time;
  std::uint64_t bits;  // of the int64 or double
};
struct PlainValue {
  std::uint64_t bits;
};

// A rope (Boehm, Atkinson and Plass 1995) of runs of values: joining two takes one node, however
// many values they hold, and both stay as they are for whoever else holds them. So the suffixes
// that strategies keep share their values. A handle to a node owns one reference.
template <typename Item>
class ValueRuns {
 public:
  using Memory = std::pmr::memory_resource;

  template <typename Input>
  static void add(ValueRuns*& handle, Input value, EventTime time, Memory& memory) {
    push(handle, make_item(value, time), memory);
  }

  // `older` becomes both. Neither is nullptr.
  static void append(ValueRuns*& older, ValueRuns* newer, Memory& memory) {
    if (newer->is_run() && newer->size_ <= kFewValues && has_open_run(older)) {
      for (std::size_t i = 0; i < newer->size_; ++i) push(older, newer->items()[i], memory);
      return;
    }
    ++newer->references_;
    older = make_pair(older, newer, memory);
  }

  static void retain(ValueRuns* handle) { ++handle->references_; }
  static void release(ValueRuns* handle, Memory& memory) {
    if (--handle->references_ > 0) return;
    std::vector<ValueRuns*> dead{handle};
    while (!dead.empty()) {
      ValueRuns* const node = dead.back();
      dead.pop_back();
      if (!node->is_run()) {
        for (ValueRuns* const part : {node->left_, node->right_}) {
          if (--part->references_ == 0) dead.push_back(part);
        }
      }
      memory.deallocate(node, node->bytes(), alignof(ValueRuns));
    }
  }

  std::size_t size() const { return size_; }

  // Calls visit(const Item*, n) for runs from old to new.
  template <typename Visit>
  void for_each_run(const Visit& visit) const {
    std::vector<const ValueRuns*> ahead{this};
    while (!ahead.empty()) {
      const ValueRuns* const node = ahead.back();
      ahead.pop_back();
      if (node->is_run()) {
        visit(node->items(), node->size_);
      } else {
        ahead.push_back(node->right_);
        ahead.push_back(node->left_);
      }
    }
  }

 private:
  static constexpr std::uint32_t kSmallestRun = 4;
  static constexpr std::uint32_t kLargestRun = 512;
  // So few values are copied rather than joined by a node, which takes as much memory.
  static constexpr std::size_t kFewValues = 4;

  template <typename Input>
  static Item make_item(Input value, EventTime time) {
    std::uint64_t bits = 0;
    static_assert(sizeof value == sizeof bits);
    __builtin_memcpy(&bits, &value, sizeof bits);
    if constexpr (sizeof(Item) == sizeof bits) {
      (void)time;
      return {bits};
    } else {
      return {time, bits};
    }
  }

  bool is_run() const { return capacity_ > 0; }
  Item* items() { return reinterpret_cast<Item*>(this + 1); }
  const Item* items() const { return reinterpret_cast<const Item*>(this + 1); }
  std::size_t bytes() const { return sizeof(ValueRuns) + capacity_ * sizeof(Item); }

  static ValueRuns* make_run(std::uint32_t capacity, Memory& memory) {
    void* const block =
        memory.allocate(sizeof(ValueRuns) + capacity * sizeof(Item), alignof(ValueRuns));
    auto* const run = new (block) ValueRuns;
    run->capacity_ = capacity;
    return run;
  }
  // Takes over both references.
  static ValueRuns* make_pair(ValueRuns* left, ValueRuns* right, Memory& memory) {
    auto* const pair = new (memory.allocate(sizeof(ValueRuns), alignof(ValueRuns))) ValueRuns;
    pair->left_ = left;
    pair->right_ = right;
    pair->size_ = left->size_ + right->size_;
    return pair;
  }

  // The handle of a run at the end that nobody else holds; nullptr if there is none.
  static ValueRuns** open_run(ValueRuns*& handle) {
    if (handle->references_ > 1) return nullptr;
    if (handle->is_run()) return &handle;
    ValueRuns*& last = handle->right_;
    return last->is_run() && last->references_ == 1 ? &last : nullptr;
  }
  static bool has_open_run(ValueRuns*& handle) { return open_run(handle) != nullptr; }

  static void push(ValueRuns*& handle, const Item& item, Memory& memory) {
    if (handle == nullptr) {
      handle = make_run(kSmallestRun, memory);
      handle->put(item);
      return;
    }
    ValueRuns** const run = open_run(handle);
    if (run == nullptr ||
        ((*run)->size_ == (*run)->capacity_ && (*run)->capacity_ == kLargestRun)) {
      ValueRuns* const fresh = make_run(kSmallestRun, memory);
      fresh->put(item);
      handle = make_pair(handle, fresh, memory);
      return;
    }
    if ((*run)->size_ == (*run)->capacity_) grow(*run, memory);
    (*run)->put(item);
    if (*run != handle) ++handle->size_;
  }

  void put(const Item& item) { new (items() + size_++) Item(item); }

  static void grow(ValueRuns*& run, Memory& memory) {
    ValueRuns* const larger = make_run(run->capacity_ * 2, memory);
    for (std::size_t i = 0; i < run->size_; ++i) larger->put(run->items()[i]);
    memory.deallocate(run, run->bytes(), alignof(ValueRuns));
    run = larger;
  }

  std::uint32_t references_ = 1;
  std::uint32_t capacity_ = 0;  // of a run; 0: a pair
  std::size_t size_ = 0;
  ValueRuns* left_ = nullptr;
  ValueRuns* right_ = nullptr;
};

}  // namespace tidemark
