#include "tidemark/operators/key_windows.h"

#include <algorithm>

namespace tidemark {

KeyWindows::KeyWindows(Lookup lookup, const AggregateLayout& layout,
                       std::pmr::memory_resource& memory)
    : lookup_(lookup),
      layout_(layout),
      allocator_(&memory),
      all_(&memory),
      by_number_(&memory),
      first_of_key_(&memory) {}

KeyWindows::~KeyWindows() {
  while (!all_.empty()) remove(*all_.back());
}

KeyWindow* KeyWindows::find(std::uint32_t slot, std::int64_t number) const {
  const auto found = by_number_.find({number, slot});
  return found == by_number_.end() ? nullptr : found->second;
}

KeyWindow& KeyWindows::add(std::uint32_t slot, std::int64_t number) {
  KeyWindow& window = *allocator_.new_object<KeyWindow>();
  window.slot = slot;
  window.number = number;
  window.content = static_cast<std::byte*>(
      allocator_.allocate_bytes(layout_.entry_size(), alignof(EntryHeader)));
  write_initial(window);
  window.place = all_.size();
  all_.push_back(&window);
  enter(window);
  return window;
}

void KeyWindows::remove(KeyWindow& window) {
  leave(window);
  all_.back()->place = window.place;
  all_[window.place] = all_.back();
  all_.pop_back();
  layout_.release(window.content, 1);
  allocator_.deallocate_bytes(window.content, layout_.entry_size(), alignof(EntryHeader));
  allocator_.delete_object(&window);
  if (all_.size() < all_.capacity() / 8) all_.shrink_to_fit();
}

void KeyWindows::clear_content(KeyWindow& window) const {
  layout_.release(window.content, 1);
  write_initial(window);
}

void KeyWindows::write_initial(KeyWindow& window) const {
  const auto initial = layout_.initial_entry();
  std::copy(initial.begin(), initial.end(), window.content);
  entry_header(window.content).slot = window.slot;
}

void KeyWindows::name_slot(FiringState& firing, std::uint32_t slot) {
  if (!firing.reported.empty()) entry_header(firing.reported.data()).slot = slot;
  for (TakenBack& said : firing.taken_back) entry_header(said.content.data()).slot = slot;
}

void KeyWindows::enter(KeyWindow& window) {
  if (lookup_ == Lookup::kByNumber) {
    by_number_.emplace(Name{window.number, window.slot}, &window);
    return;
  }
  if (window.slot >= first_of_key_.size()) first_of_key_.resize(window.slot + 1, nullptr);
  window.next_of_key = first_of_key_[window.slot];
  first_of_key_[window.slot] = &window;
}

void KeyWindows::leave(KeyWindow& window) {
  if (lookup_ == Lookup::kByNumber) {
    by_number_.erase({window.number, window.slot});
    if (by_number_.size() < by_number_.bucket_count() / 16) by_number_.rehash(0);
    return;
  }
  KeyWindow** link = &first_of_key_[window.slot];
  while (*link != &window) link = &(*link)->next_of_key;
  *link = window.next_of_key;
}

}  // namespace tidemark
