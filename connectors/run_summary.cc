#include "tidemark/connectors/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tidemark/connectors/time_formatter.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

std::string strategy_text(const RunReport& report) {
  std::vector<std::string_view> names;
  for (const Strategy strategy : report.strategies) {
    const std::string_view name = to_string(strategy);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

std::string time_text(EventTime time) {
  if (time == kNoWatermark) return "none";
  if (time == kEndOfTime) return "end of input";
  TimeFormatter formatter(TimeStyle::kIso);
  fmt::memory_buffer text;
  formatter.append(time, text);
  return fmt::to_string(text);
}

ordered_json time_json(EventTime time) {
  return time == kNoWatermark ? ordered_json(nullptr) : ordered_json(time);
}

ordered_json jump_json(const EventTimeJump& jump) {
  if (jump.ms == 0) return nullptr;
  return {{"ms", jump.ms},   {"from", jump.from},           {"to", jump.to},
          {"row", jump.row}, {"partition", jump.partition}, {"rows_behind", jump.rows_behind}};
}

// Rows were late after a step of the event time that dwarfs the delay, and their times are from
// before it: what one wrong time does.
bool jump_made_rows_late(const RunReport& report) {
  constexpr std::int64_t kDwarfs = 10;
  constexpr std::int64_t kLeastDelay = 1000;
  const EventTimeJump& jump = report.largest_jump;
  return report.rows_late > 0 && jump.rows_behind > 0 &&
         jump.ms > kDwarfs * std::max(report.delay, kLeastDelay);
}

double rows_per_second(const RunReport& report) {
  return report.wall_seconds > 0 ? static_cast<double>(report.rows_read) / report.wall_seconds : 0;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kKibi = 1024;
  const auto value = static_cast<double>(bytes);
  if (value < kKibi) return fmt::format("{} B", bytes);
  if (value < kKibi * kKibi) return fmt::format("{:.1f} KiB", value / kKibi);
  return fmt::format("{:.1f} MiB", value / kKibi / kKibi);
}

ordered_json overflow_json(const OverflowList& overflows) {
  ordered_json named = ordered_json::array();
  for (const Overflow& overflow : overflows.named) {
    named.push_back({{"window_start", overflow.window_start},
                     {"window_end", overflow.window_end},
                     {"key", overflow.key},
                     {"aggregate", overflow.aggregate}});
  }
  return named;
}

}  // namespace

std::string short_count(double count) {
  if (count < 1e3) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.1f} k", count / 1e3);
  return fmt::format("{:.1f} M", count / 1e6);
}

std::string summary_json(const RunReport& report) {
  ordered_json summary;
  summary["rows_read"] = report.rows_read;
  summary["rows_on_time"] = report.rows_on_time;
  summary["rows_late"] = report.rows_late;
  summary["rows_bad"] = report.rows_bad;
  summary["rows_in_no_window"] = report.rows_in_no_window;
  summary["results"] = report.results;
  summary["windows_fired"] = report.windows_fired;
  summary["watermark"] = time_json(report.watermark);
  summary["highest_event_time"] = time_json(report.highest_event_time);
  summary["largest_jump"] = jump_json(report.largest_jump);
  summary["idle_transitions"] = report.idle_transitions;
  summary["silent_partitions"] = report.silent_partitions;
  summary["wall_seconds"] = report.wall_seconds;
  summary["rows_per_second"] = rows_per_second(report);
  summary["peak_state_bytes"] = report.state.peak_state_bytes;
  summary["peak_key_table_bytes"] = report.state.peak_key_table_bytes;
  summary["peak_live_entries"] = report.state.peak_live_entries;
  summary["state_bytes_per_entry"] = report.state.state_bytes_per_entry;
  summary["updates"] = report.state.updates;
  summary["merges"] = report.state.merges;
  summary["rows_preaggregated"] = report.rows_preaggregated;
  summary["partials"] = report.partials;
  summary["no_local_aggregation"] = report.no_local_aggregation.empty()
                                        ? ordered_json(nullptr)
                                        : ordered_json(report.no_local_aggregation);
  summary["strategy"] = strategy_text(report);
  summary["cores"] = report.cores;
  summary["cancelled"] = report.cancelled;
  summary["open_windows_dropped"] = report.open_windows_dropped;
  summary["overflow_count"] = report.overflows.count;
  summary["overflows"] = overflow_json(report.overflows);
  return summary.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string summary_text(const RunReport& report) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} rows read = {} on time + {} late + {} bad + {} in no window\n",
                 report.rows_read, report.rows_on_time, report.rows_late, report.rows_bad,
                 report.rows_in_no_window);
  fmt::format_to(to, "{} results of {} windows, watermark {}\n", report.results,
                 report.windows_fired, time_text(report.watermark));
  fmt::format_to(to, "{:.3f} s, {} rows/s, peak state {}, strategy {}, {} core{}\n",
                 report.wall_seconds, short_count(rows_per_second(report)),
                 bytes_text(report.state.peak_state_bytes), strategy_text(report), report.cores,
                 report.cores == 1 ? "" : "s");
  if (report.rows_preaggregated > 0) {
    fmt::format_to(
        to, "{:.0f} % of the rows were aggregated at their source, {:.1f} rows a state\n",
        100 * static_cast<double>(report.rows_preaggregated) /
            static_cast<double>(report.rows_read),
        static_cast<double>(report.rows_preaggregated) / static_cast<double>(report.partials));
  }
  if (jump_made_rows_late(report)) {
    const EventTimeJump& jump = report.largest_jump;
    fmt::format_to(
        to,
        "row {} raised the event time by {}, from {} to {}, and {} rows after it are from "
        "before: if its time is wrong, --max-ahead DUR (longer than any silence) sends "
        "such rows to the bad ones\n",
        jump.row, format_duration(jump.ms), time_text(jump.from), time_text(jump.to),
        jump.rows_behind);
  }
  for (const std::size_t partition : report.silent_partitions) {
    fmt::format_to(to,
                   "partition {} of the source never had a row and held back every window until it "
                   "ended; --idle DUR lets the others go on\n",
                   partition);
  }
  if (report.cancelled) {
    fmt::format_to(to, "ended by a signal: {} open windows are not in the output\n",
                   report.open_windows_dropped);
  }
  return fmt::to_string(out);
}

std::string overflow_text(const OverflowList& overflows) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  for (const Overflow& overflow : overflows.named) {
    fmt::format_to(to, "{} does not fit 64 bits in window [{}, {}){}: the result is NULL\n",
                   overflow.aggregate, time_text(overflow.window_start),
                   time_text(overflow.window_end),
                   overflow.key.empty() ? "" : fmt::format(" for key {}", overflow.key));
  }
  if (overflows.count > overflows.named.size()) {
    fmt::format_to(to, "and {} more sums that do not fit\n",
                   overflows.count - overflows.named.size());
  }
  return fmt::to_string(out);
}

}  // namespace tidemark
