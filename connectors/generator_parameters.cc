#include "tidemark/connectors/generator_parameters.h"

#include <fmt/format.h>

#include <optional>

#include "tidemark/connectors/canonical_integer.h"
#include "tidemark/connectors/event_time_text.h"
#include "tidemark/connectors/quantity.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

template <typename T>
Expected<void> store(Expected<T> value, T& target) {
  if (!value) return tl::unexpected(value.error());
  target = *value;
  return {};
}

Expected<EventTime> parse_start(std::string_view text) {
  if (const auto milliseconds = canonical_integer(text)) return *milliseconds;
  Expected<EventTimeParser> parser = EventTimeParser::create({TimeUnit::kText, "", "UTC"});
  if (!parser) return tl::unexpected(parser.error());
  if (const std::optional<EventTime> time = parser->parse(text)) return *time;
  return make_error(fmt::format(
      "start must be a time such as 2026-01-01T00:00:00Z, or milliseconds since 1970, not {:?}",
      text));
}

Expected<std::int64_t> parse_disorder(std::string_view text) {
  Expected<std::int64_t> duration = parse_duration(text);
  if (!duration) return make_error("disorder: " + duration.error().message);
  if (*duration < 0)
    return make_error(fmt::format("disorder must not be negative, but is {}", text));
  return duration;
}

Expected<bool> parse_flag(std::string_view text) {
  if (text == "true" || text.empty()) return true;
  if (text == "false") return false;
  return make_error(fmt::format("live must be true or false, not {:?}", text));
}

}  // namespace

Expected<void> GeneratorParameters::set(std::string_view name, std::string_view value) {
  if (name == "rows") return store(parse_count(value, name), rows);
  if (name == "keys") return store(parse_count(value, name), keys);
  if (name == "rate") return store(parse_rate(value, name), rate);
  if (name == "start") return store(parse_start(value), start);
  if (name == "disorder") return store(parse_disorder(value), disorder);
  if (name == "skew") return store(parse_skew(value), skew);
  if (name == "seed") return store(parse_count(value, name), seed);
  if (name == "live") return store(parse_flag(value), live);
  return make_error(
      fmt::format("there is no generator parameter {:?}; there are rows, keys, rate, start, "
                  "disorder, skew, seed "
                  "and live",
                  name));
}

Expected<void> GeneratorParameters::set_all(std::string_view text) {
  while (!text.empty()) {
    const std::size_t ampersand = text.find('&');
    const std::string_view pair = text.substr(0, ampersand);
    text = ampersand == std::string_view::npos ? "" : text.substr(ampersand + 1);
    const std::size_t equals = pair.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : pair.substr(equals + 1);
    if (auto done = set(pair.substr(0, equals), value); !done) return done;
  }
  return {};
}

}  // namespace tidemark
