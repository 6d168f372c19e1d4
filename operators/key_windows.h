// All windows of all keys that one window specification has open, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/key_window.h"

namespace tidemark {

// Owns the windows and their contents. They are found by key and number, or, where windows have no
// numbers, walked as a short list per key. Not thread-safe.
class KeyWindows {
 public:
  enum class Lookup : std::uint8_t { kByNumber, kByKey };

  KeyWindows(Lookup lookup, const AggregateLayout& layout, std::pmr::memory_resource& memory);
  ~KeyWindows();
  KeyWindows(const KeyWindows&) = delete;
  KeyWindows& operator=(const KeyWindows&) = delete;

  std::size_t size() const { return all_.size(); }
  const std::pmr::vector<KeyWindow*>& all() const { return all_; }

  // Lookup::kByNumber; nullptr if there is none.
  KeyWindow* find(std::uint32_t slot, std::int64_t number) const;
  // Lookup::kByKey: the first of the key's windows, linked by next_of_key.
  KeyWindow* first_of_key(std::uint32_t slot) const {
    return slot < first_of_key_.size() ? first_of_key_[slot] : nullptr;
  }

  // A window without rows. `number` is for Lookup::kByNumber.
  KeyWindow& add(std::uint32_t slot, std::int64_t number);
  void remove(KeyWindow& window);

  // The content of no rows.
  void clear_content(KeyWindow& window) const;

  // Keys have new slots: `new_slot[old]`, never above the old. The windows of a key keep their
  // order.
  template <typename NewSlots>
  void renumber(const NewSlots& new_slot) {
    std::size_t kept = 0;
    for (std::uint32_t slot = 0; slot < first_of_key_.size(); ++slot) {
      if (first_of_key_[slot] == nullptr) continue;
      const std::uint32_t to = new_slot[slot];
      first_of_key_[to] = first_of_key_[slot];
      for (; kept < to; ++kept) first_of_key_[kept] = nullptr;
      kept = std::size_t{to} + 1;
    }
    first_of_key_.resize(kept);
    first_of_key_.shrink_to_fit();
    by_number_.clear();
    for (KeyWindow* window : all_) {
      window->slot = new_slot[window->slot];
      entry_header(window->content).slot = window->slot;
      if (window->firing != nullptr) name_slot(*window->firing, window->slot);
      if (lookup_ == Lookup::kByNumber) enter(*window);
    }
    by_number_.rehash(0);
    all_.shrink_to_fit();
  }

 private:
  struct Name {
    std::int64_t number;
    std::uint32_t slot;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      const std::uint64_t mixed =
          (static_cast<std::uint64_t>(name.number) ^ (std::uint64_t{name.slot} << 40)) *
              std::uint64_t{0x9e3779b97f4a7c15} +
          name.slot;
      return mixed ^ (mixed >> 32);
    }
  };

  // What was said before is compared with new content and taken back by its slot.
  static void name_slot(FiringState& firing, std::uint32_t slot);
  void write_initial(KeyWindow& window) const;
  void enter(KeyWindow& window);
  void leave(KeyWindow& window);

  Lookup lookup_;
  const AggregateLayout& layout_;
  std::pmr::polymorphic_allocator<> allocator_;
  std::pmr::vector<KeyWindow*> all_;
  std::pmr::unordered_map<Name, KeyWindow*, NameHash> by_number_;
  std::pmr::vector<KeyWindow*> first_of_key_;
};

}  // namespace tidemark
