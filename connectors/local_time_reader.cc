#include "tidemark/connectors/local_time_reader.h"

#include <date/date.h>
#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "tidemark/connectors/message_text.h"

namespace tidemark {

namespace {
constexpr std::int64_t kMsPerSecond = 1000;
}  // namespace

Expected<LocalTimeReader> LocalTimeReader::create(const std::string& zone) {
  LocalTimeReader reader;
  if (zone == "UTC" || zone == "Etc/UTC") return reader;
  try {
    reader.zone_ = date::locate_zone(zone);
  } catch (const std::exception&) {
    return make_error(
        fmt::format("unknown time zone {}; use an IANA name of the system's zone database, such as "
                    "Europe/Berlin",
                    in_quotes(zone)));
  }
  return reader;
}

EventTime LocalTimeReader::to_utc(std::int64_t local) {
  if (zone_ == nullptr) return local;
  if (local >= begin_ && local < end_) return local - offset_;
  return local - look_up_offset(local);
}

std::int64_t LocalTimeReader::look_up_offset(std::int64_t local) {
  using std::chrono::seconds;
  const date::local_seconds second{seconds{floor_div(local, kMsPerSecond)}};
  const date::local_info info = zone_->get_info(second);
  const seconds offset = info.first.offset;
  // In a gap as in a fold, the offset that held before the transition gives the promised instant.
  if (info.result != date::local_info::unique) return offset.count() * kMsPerSecond;

  // Gaps and folds lie where the neighbours' wall clocks reach into this period's.
  const seconds before = zone_->get_info(info.first.begin - seconds{1}).offset;
  const seconds after = zone_->get_info(info.first.end).offset;
  begin_ = (info.first.begin.time_since_epoch() + std::max(before, offset)).count() * kMsPerSecond;
  end_ = (info.first.end.time_since_epoch() + std::min(after, offset)).count() * kMsPerSecond;
  offset_ = offset.count() * kMsPerSecond;
  return offset_;
}

}  // namespace tidemark
