// Values in the order in which they came, shared between entries without copying them.
#pragma once

#include <bit>
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
  // Of nodes that wait to be dropped the size is needed no more: there is the next one.
  static void release(ValueRuns* handle, Memory& memory) {
    if (--handle->references_ > 0) return;
    handle->next_dead_ = nullptr;
    for (ValueRuns* dead = handle; dead != nullptr;) {
      ValueRuns* const node = dead;
      dead = node->next_dead_;
      if (!node->is_run()) {
        for (ValueRuns* const part : {node->left_, node->right_}) {
          if (--part->references_ > 0) continue;
          part->next_dead_ = dead;
          dead = part;
        }
      }
      memory.deallocate(node, node->bytes(), alignof(ValueRuns));
    }
  }

  std::size_t size() const { return size_; }

  // Calls visit(const Item*, n) for runs from old to new. `ahead` is room to work in.
  template <typename Visit>
  void for_each_run(std::vector<const ValueRuns*>& ahead, const Visit& visit) const {
    ahead.assign(1, this);
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
  // A run takes a power of two of bytes, with what is said about it.
  static constexpr std::size_t kSmallestRunBytes = std::bit_ceil(32 + 4 * sizeof(Item));
  static constexpr std::size_t kLargestRunBytes = 512 * sizeof(Item);
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

  static ValueRuns* make_run(std::size_t bytes, Memory& memory) {
    auto* const run = new (memory.allocate(bytes, alignof(ValueRuns))) ValueRuns;
    run->capacity_ = static_cast<std::uint32_t>((bytes - sizeof(ValueRuns)) / sizeof(Item));
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
      handle = make_run(kSmallestRunBytes, memory);
      handle->put(item);
      return;
    }
    ValueRuns** const run = open_run(handle);
    if (run == nullptr ||
        ((*run)->size_ == (*run)->capacity_ && (*run)->bytes() == kLargestRunBytes)) {
      ValueRuns* const fresh = make_run(kSmallestRunBytes, memory);
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
    ValueRuns* const larger = make_run(run->bytes() * 2, memory);
    for (std::size_t i = 0; i < run->size_; ++i) larger->put(run->items()[i]);
    memory.deallocate(run, run->bytes(), alignof(ValueRuns));
    run = larger;
  }

  std::uint32_t references_ = 1;
  std::uint32_t capacity_ = 0;  // of a run; 0: a pair
  union {
    std::size_t size_ = 0;
    ValueRuns* next_dead_;
  };
  ValueRuns* left_ = nullptr;
  ValueRuns* right_ = nullptr;
};

static_assert(sizeof(ValueRuns<PlainValue>) == 32);

}  // namespace tidemark
