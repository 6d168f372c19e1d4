#include "cli/time_arguments.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "cli/duration_argument.h"
#include "cli/user_error.h"
#include "tidemark/runtime/duration.h"

namespace tidemark::cli {

namespace {

using NamedOption = std::pair<const char*, const std::string&>;

TimeDomain domain_of(const std::string& text) {
  if (text == "event") return TimeDomain::kEvent;
  if (text == "processing") return TimeDomain::kProcessing;
  if (text == "ingestion") {
    throw UserError(
        "--time-domain ingestion is not offered: a row would count by when it happened to be read "
        "and yet wait for watermarks; use --time-domain processing to go by the clock, or have the "
        "time of arrival written into a column and name it with --time");
  }
  throw UserError(fmt::format("--time-domain must be event or processing, not {}", text));
}

void refuse_event_time_options(const WindowArguments& arguments) {
  const std::array<NamedOption, 6> options{{
      {"--time", arguments.time_column},
      {"--delay", arguments.delay},
      {"--watermark", arguments.watermark},
      {"--watermark-column", arguments.watermark_column},
      {"--max-ahead", arguments.max_ahead},
      {"--idle", arguments.idle},
  }};
  for (const auto& [name, value] : options) {
    if (value.empty()) continue;
    throw UserError(
        fmt::format("{} is for event time, but --time-domain processing gives rows the time of the "
                    "clock; leave "
                    "one of them out",
                    name));
  }
}

WatermarkKind watermarks_of(const WindowArguments& arguments) {
  if (!arguments.watermark_column.empty()) {
    if (!arguments.watermark.empty()) {
      throw UserError(fmt::format(
          "--watermark {} and --watermark-column {} are two sources of watermarks; leave one of "
          "them out",
          arguments.watermark, arguments.watermark_column));
    }
    return WatermarkKind::kPunctuated;
  }
  if (arguments.watermark == "none") return WatermarkKind::kNone;
  if (arguments.watermark.empty() || arguments.watermark == "bounded")
    return WatermarkKind::kBounded;
  throw UserError(
      fmt::format("--watermark must be bounded or none, not {}; name a column of watermarks with "
                  "--watermark-column",
                  arguments.watermark));
}

}  // namespace

void add_time_options(CLI::App& command, WindowArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->group("Time");
  };
  add("--time-domain", arguments.time_domain,
      "event (default): windows go by the times in the rows; processing: by the clock when a row "
      "is "
      "read, without --time");
  add("--delay", arguments.delay,
      "bounded out-of-orderness, such as 5s: watermark = max event time - delay - 1 ms; default 0");
  add("--watermark", arguments.watermark,
      "bounded (default): see --delay; none: windows fire at the end of the input");
  add("--watermark-column", arguments.watermark_column,
      "column of watermarks that rows bring, read like --time; an empty cell brings none");
  add("--max-ahead", arguments.max_ahead,
      "a row further ahead of the latest time before it is bad; must exceed the longest silence");
  add("--idle", arguments.idle, "a source silent this long stops holding the watermark");
}

void set_time_rules(const WindowArguments& arguments, WindowQuery& query) {
  query.time_domain = domain_of(arguments.time_domain);
  if (query.time_domain == TimeDomain::kProcessing) {
    refuse_event_time_options(arguments);
    return;
  }
  query.watermarks = watermarks_of(arguments);
  if (!arguments.delay.empty()) {
    if (query.watermarks != WatermarkKind::kBounded) {
      throw UserError(fmt::format(
          "--delay is for bounded watermarks, but {} says where they come from; leave one of them "
          "out",
          arguments.watermark.empty() ? "--watermark-column" : "--watermark none"));
    }
    query.delay = duration_of("--delay", arguments.delay);
  }
  if (!arguments.max_ahead.empty()) {
    query.max_ahead = positive_duration_of("--max-ahead", arguments.max_ahead);
  }
  if (!arguments.idle.empty()) query.idle_timeout = positive_duration_of("--idle", arguments.idle);
}

}  // namespace tidemark::cli
