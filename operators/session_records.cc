#include "tidemark/operators/session_records.h"

namespace tidemark {

SessionRecords::SessionRecords(const AggregateLayout& layout, std::pmr::memory_resource& memory)
    : stride_(sizeof(SessionRecord) + layout.entry_size()),
      entry_size_(layout.entry_size()),
      pages_(&memory) {}

SessionRecords::~SessionRecords() { resize(0); }

void SessionRecords::resize(std::size_t size) {
  while (pages_.size() * kPageRecords < size) add_page();
  const std::size_t needed = (size + kPageRecords - 1) / kPageRecords;
  for (; pages_.size() > needed; pages_.pop_back()) {
    pages_.get_allocator().resource()->deallocate(pages_.back(), kPageRecords * stride_,
                                                  alignof(SessionRecord));
  }
  if (size < size_) pages_.shrink_to_fit();
  size_ = size;
}

void SessionRecords::add_page() {
  auto* const page = static_cast<std::byte*>(
      pages_.get_allocator().resource()->allocate(kPageRecords * stride_, alignof(SessionRecord)));
  pages_.push_back(page);
  for (std::size_t i = 0; i < kPageRecords; ++i) {
    new (page + i * stride_) SessionRecord{0, SessionRecord::kNoEnd, SessionRecord::kNoOther};
  }
}

void SessionRecords::move(std::size_t from, std::size_t to) {
  if (from == to) return;
  SessionRecord& old = (*this)[from];
  SessionRecord& place = (*this)[to];
  copy_session(old, place);
  place.other = old.other;
  old.end = SessionRecord::kNoEnd;
  old.other = SessionRecord::kNoOther;
}

void SessionRecords::copy_session(const SessionRecord& from, SessionRecord& to) const {
  to.start = from.start;
  to.end = from.end;
  copy_entry(to.entry(), from.entry(), entry_size_);
}

}  // namespace tidemark
