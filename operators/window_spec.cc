#include "tidemark/operators/window_spec.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>

#include "tidemark/runtime/duration.h"

namespace tidemark {

WindowSpec tumbling(std::chrono::milliseconds size, std::chrono::milliseconds offset) {
  return {WindowKind::kTumbling, size.count(), size.count(), offset.count()};
}

WindowSpec sliding(std::chrono::milliseconds size, std::chrono::milliseconds slide,
                   std::chrono::milliseconds offset) {
  return {WindowKind::kSliding, size.count(), slide.count(), offset.count()};
}

WindowSpec session(std::chrono::milliseconds gap) { return {WindowKind::kSession, gap.count()}; }

WindowSpec global_window() { return {WindowKind::kGlobal}; }

WindowSpec count_window(std::int64_t size) { return count_window(size, size); }

WindowSpec count_window(std::int64_t size, std::int64_t slide) {
  return {WindowKind::kCount, size, slide};
}

namespace {

Expected<void> check_length(std::string_view parameter, std::int64_t value) {
  if (value <= 0) {
    return make_error(fmt::format("window {} must be positive, got {} ms", parameter, value));
  }
  if (value > kMaxDurationMs) {
    return make_error(fmt::format("window {} must be at most {} ms (10,000 years), got {} ms",
                                  parameter, kMaxDurationMs, value));
  }
  return {};
}

using Parameters = std::map<std::string, std::string, std::less<>>;

Expected<Parameters> split_parameters(std::istringstream& words, std::string_view text) {
  Parameters parameters;
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return make_error(fmt::format("window '{}': expected parameter=value, got '{}'", text, word));
    }
    const auto [place, inserted] =
        parameters.emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!inserted) {
      return make_error(fmt::format("window '{}': {} is given twice", text, place->first));
    }
  }
  return parameters;
}

// Takes one duration out of `parameters`; what is left at the end is unknown.
Expected<std::optional<std::int64_t>> take_duration(Parameters& parameters, std::string_view name,
                                                    std::string_view text) {
  const auto place = parameters.find(name);
  if (place == parameters.end()) return std::optional<std::int64_t>{};
  Expected<std::int64_t> duration = parse_duration(place->second);
  if (!duration) {
    return make_error(fmt::format("window '{}': {}: {}", text, name, duration.error().message));
  }
  parameters.erase(place);
  return std::optional<std::int64_t>{*duration};
}

constexpr std::string_view kForms =
    "use 'tumbling size=1d [offset=-8h]' or 'sliding size=1h slide=5m [offset=1m]'";

}  // namespace

Expected<void> validate(const WindowSpec& spec) {
  if (auto length = check_length("size", spec.size); !length) return length;
  if (auto length = check_length("slide", spec.slide); !length) return length;
  if (spec.kind == WindowKind::kTumbling && spec.slide != spec.size) {
    return make_error(
        fmt::format("a tumbling window slides by its size, got size {} ms and slide {} ms",
                    spec.size, spec.slide));
  }
  if (spec.offset <= -spec.slide || spec.offset >= spec.slide) {
    return make_error(fmt::format(
        "window offset must be smaller than the {} in magnitude, got offset {} and {} {}",
        spec.kind == WindowKind::kTumbling ? "size" : "slide", format_duration(spec.offset),
        spec.kind == WindowKind::kTumbling ? "size" : "slide", format_duration(spec.slide)));
  }
  return {};
}

Expected<WindowSpec> parse_window_spec(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string kind;
  words >> kind;
  if (kind != "tumbling" && kind != "sliding") {
    return make_error(fmt::format("unknown window kind '{}' in '{}': {}", kind, text, kForms));
  }
  Expected<Parameters> parameters = split_parameters(words, text);
  if (!parameters) return tl::make_unexpected(parameters.error());

  const auto size = take_duration(*parameters, "size", text);
  if (!size) return tl::make_unexpected(size.error());
  const auto offset = take_duration(*parameters, "offset", text);
  if (!offset) return tl::make_unexpected(offset.error());
  auto slide = Expected<std::optional<std::int64_t>>{*size};
  if (kind == "sliding") slide = take_duration(*parameters, "slide", text);
  if (!slide) return tl::make_unexpected(slide.error());

  if (!parameters->empty()) {
    return make_error(fmt::format("window '{}': unknown parameter '{}': {}", text,
                                  parameters->begin()->first, kForms));
  }
  if (!*size) return make_error(fmt::format("window '{}': size is missing: {}", text, kForms));
  if (!*slide) return make_error(fmt::format("window '{}': slide is missing: {}", text, kForms));

  const WindowSpec spec{kind == "tumbling" ? WindowKind::kTumbling : WindowKind::kSliding, **size,
                        **slide, offset->value_or(0)};
  if (auto valid = validate(spec); !valid) {
    return make_error(fmt::format("window '{}': {}", text, valid.error().message));
  }
  return spec;
}

std::string to_string(const WindowSpec& spec) {
  std::string text = spec.kind == WindowKind::kTumbling
                         ? fmt::format("tumbling size={}", format_duration(spec.size))
                         : fmt::format("sliding size={} slide={}", format_duration(spec.size),
                                       format_duration(spec.slide));
  if (spec.offset != 0) text += fmt::format(" offset={}", format_duration(spec.offset));
  return text;
}

}  // namespace tidemark
