// Wall-clock times of a zone into event times.
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace date {
class time_zone;
}

namespace tidemark {

// Reads wall-clock times of one zone. A local time that the zone skips (spring) is moved forward by
// the length of the gap; one that it has twice (autumn) is the earlier instant. Rules of a zone
// reach as far as the system's zone files list transitions; beyond the last one its offset stays.
// Remembers the period of the last time, so a lookup costs two comparisons while times stay between
// two transitions. Not thread-safe; copies are independent.
class LocalTimeReader {
 public:
  // Refuses a name that the system's zone database does not have.
  static Expected<LocalTimeReader> create(const std::string& zone);

  // `local` is milliseconds since 1970-01-01T00:00 on the zone's wall clock.
  EventTime to_utc(std::int64_t local);

 private:
  std::int64_t look_up_offset(std::int64_t local);

  const date::time_zone* zone_ = nullptr;  // null for UTC
  // Local times [begin, end) have exactly one instant, `offset` ms behind them.
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t offset_ = 0;
};

}  // namespace tidemark
