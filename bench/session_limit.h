// The limit of sessions: the shortest hand-written loops over rows in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {

// Count and sum per session and int64 key. What any right loop must do is in it, with the types and
// aggregates known to the compiler: keys are looked up, since nothing is known about them; and a
// session's result is there as soon as the time has come to its end, since its key may never come
// again. For that, open sessions are in a list in the order of their last rows: a row moves its
// session to the end of the list, and those that end are at its front. A queue of rows, each of
// which is looked at again when the gap has passed, is slower. No batches, watermarks, disorder,
// NULLs or overflow checks.
class SessionLimit {
 public:
  explicit SessionLimit(std::int64_t gap) : gap_(gap) {
    rehash(1024);
    sessions_.emplace_back();
  }

  void add(std::int64_t time, std::int64_t key, std::int64_t value) {
    end_sessions(time - gap_);
    const std::uint32_t number = session_of(key);
    Session& session = sessions_[number];
    if (session.count > 0) unlink(session);
    session.before = sessions_[kList].before;
    session.behind = kList;
    sessions_[session.before].behind = sessions_[kList].before = number;
    session.last = time;
    ++session.count;
    session.sum += value;
  }

  void finish() { end_sessions(INT64_MAX); }

  std::uint64_t checksum() const { return checksum_; }

 private:
  struct Session {
    std::int64_t key = 0;
    std::int64_t last = 0;
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::uint32_t before = kList;
    std::uint32_t behind = kList;
  };

  // Those whose last row is before `time`: at exactly the gap a session goes on.
  void end_sessions(std::int64_t time) {
    while (sessions_[kList].behind != kList) {
      Session& session = sessions_[sessions_[kList].behind];
      if (session.last >= time) break;
      checksum_ += checksum_cell_mix(session.last + gap_, session.key, session.count, session.sum);
      session.count = session.sum = 0;
      unlink(session);
    }
  }

  void unlink(const Session& session) {
    sessions_[session.before].behind = session.behind;
    sessions_[session.behind].before = session.before;
  }

  static std::uint64_t hash(std::int64_t key) {
    const std::uint64_t bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
    return bits ^ bits >> 32;
  }

  std::uint32_t session_of(std::int64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = hash(key) & mask;
    for (; table_[place] != kList; place = (place + 1) & mask) {
      if (sessions_[table_[place]].key == key) return table_[place];
    }
    if (sessions_.size() * 2 >= table_.size()) {
      rehash(table_.size() * 2);
      return session_of(key);
    }
    sessions_.push_back({key, 0, 0, 0, kList, kList});
    return table_[place] = static_cast<std::uint32_t>(sessions_.size() - 1);
  }

  void rehash(std::size_t size) {
    table_.assign(size, kList);
    for (std::uint32_t number = 1; number < sessions_.size(); ++number) {
      std::size_t place = hash(sessions_[number].key) & (size - 1);
      while (table_[place] != kList) place = (place + 1) & (size - 1);
      table_[place] = number;
    }
  }

  static constexpr std::uint32_t kList = 0;  // the list itself, and an empty cell

  std::int64_t gap_;
  std::vector<std::uint32_t> table_;
  std::vector<Session> sessions_;
  std::uint64_t checksum_ = 0;
};

// The same where keys are known to be numbers below `keys`, so that an array holds them, and where
// a session may wait for the next row of its key, or for the end, to tell its result: less than a
// stream needs, and there to show how much of the limit lookup and ends on time are.
inline std::uint64_t sessions_by_array(const std::vector<std::int64_t>& keys, std::size_t distinct,
                                       std::int64_t gap) {
  struct Session {
    std::int64_t last = INT64_MIN / 2;
    std::int64_t count = 0;
    std::int64_t sum = 0;
  };
  std::vector<Session> sessions(distinct);
  std::uint64_t checksum = 0;
  const auto end = [&](std::size_t key) {
    const Session& session = sessions[key];
    checksum += checksum_cell_mix(session.last + gap, static_cast<std::int64_t>(key), session.count,
                                  session.sum);
  };
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const auto time = static_cast<std::int64_t>(row);
    const auto key = static_cast<std::size_t>(keys[row]);
    Session& session = sessions[key];
    if (time - session.last > gap) {
      if (session.count > 0) end(key);
      session.count = session.sum = 0;
    }
    session.last = time;
    ++session.count;
    session.sum += time;
  }
  for (std::size_t key = 0; key < distinct; ++key) {
    if (sessions[key].count > 0) end(key);
  }
  return checksum;
}

}  // namespace tidemark::bench
