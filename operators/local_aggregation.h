// Whether source tasks aggregate their own rows before they send them on: the choice, made again
// and again from what the stream shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/query.h"

namespace tidemark {

struct WindowPlan;

enum class LocalAggregation : std::uint8_t {
  kWhenItPays,  // with several cores, as LocalAggregationSwitch says
  kNever,
  kAlways,       // also with one core
  kAlternating,  // also with one core; switches all the time
};

// Why partial states of one slice each cannot stand for rows of this query, for people; nothing if
// they can. `plans` are the query's.
std::optional<std::string> refuses_local_aggregation(const WindowQuery& query,
                                                     const std::vector<WindowPlan>& plans);

// Whether rows of one key and slice may be added up in several parts with the same bits as in one.
// False where doubles are summed, and for all that is not known to be so.
bool adds_up_in_any_order(const WindowQuery& query);

// On or off, by counts of rows alone, so that one stream always makes the same choices. While it is
// on, the last period tells what it saved; while it is off, it is tried for a period now and then,
// less and less often if it was in vain. Not thread-safe.
class LocalAggregationSwitch {
 public:
  // Rows between two looks at what was saved.
  static constexpr std::uint64_t kPeriod = 16'384;

  explicit LocalAggregationSwitch(LocalAggregation choice);

  bool on() const { return on_; }
  // count() may be given so many rows at a time, at least 1.
  std::size_t rows_left() const { return static_cast<std::size_t>(length_ - counts_.rows); }

  struct Counts {
    std::uint64_t rows;
    std::uint64_t taken;    // that went into partial states
    std::uint64_t begun;    // partial states that some of those began
    std::uint64_t refused;  // rows that found no room
  };

  // Of rows that came since the last call. True: a period has ended, look at on() again.
  bool count(const Counts& counts);

  // Whether so many rows found no room in the last period that other keys may be worth more.
  bool wants_new_keys() const { return wants_new_keys_; }

 private:
  bool pays() const;
  void start_period();

  LocalAggregation choice_;
  bool on_ = true;
  bool was_on_ = false;  // in the period before
  std::uint64_t length_;
  std::uint64_t pause_;  // rows until the next trial
  Counts counts_{0, 0, 0, 0};
  bool wants_new_keys_ = false;
};

}  // namespace tidemark
