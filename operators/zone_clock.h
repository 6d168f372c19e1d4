// The wall clock of a time zone: instants into local times and back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// Local times are ms since 1970-01-01T00:00 on the wall clock. Where the zone's offset changes, the
// clock skips local times (a gap: usually an hour in spring, but also half an hour, or a whole day)
// or shows them twice (a fold). Transitions are the zone's own, as far as the system's zone files
// list them (to the year 2037, usually); beyond the last one its offset stays. All times may lie
// 30,000 years to either side of 1970. Immutable, so it may be shared by threads.
class ZoneClock {
 public:
  // Instants [begin, end) during which local time is `offset` ms ahead of UTC.
  struct Period {
    EventTime begin;
    EventTime end;
    std::int64_t offset;
  };

  // An IANA zone such as Asia/Shanghai or Etc/GMT-8. Null for UTC and zones that never differ from
  // it. Refuses a name that the system's zone database does not have.
  static Expected<std::shared_ptr<const ZoneClock>> of(const std::string& zone);

  // Adjacent periods differ in their offset; the first begins at the lowest int64, the last ends at
  // the highest.
  explicit ZoneClock(std::vector<Period> periods) : periods_(std::move(periods)) {}

  const Period& period_of(EventTime instant) const;

  // The first instant whose local time is `local` or later: the transition, if `local` is skipped.
  EventTime first_instant(std::int64_t local) const;
  // The instant that follows the last one whose local time is before `local`: the later of two, if
  // the clock shows `local` twice, and the transition if it is skipped.
  EventTime end_instant(std::int64_t local) const;

  // The highest local time L such that no instant after `watermark` has a local time of L or less.
  // So `watermark` >= end_instant(x) - 1 just if L >= x - 1, for every x.
  std::int64_t local_watermark(EventTime watermark) const;

 private:
  std::size_t index_of(EventTime instant) const;

  std::vector<Period> periods_;
};

// The same for a zone that is known to exist. Throws std::invalid_argument if it does not.
std::shared_ptr<const ZoneClock> zone_clock_of(const std::string& zone);

}  // namespace tidemark
