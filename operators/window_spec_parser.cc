// parse_window_spec().
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "tidemark/operators/window_spec.h"
#include "tidemark/operators/window_spec_names.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// A size or slide as written: of a calendar unit, or in ms.
struct Length {
  std::int64_t amount = 0;
  CalendarUnit unit = CalendarUnit::kNone;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The unit that the last letters name, with or without a plural s.
std::optional<CalendarUnit> calendar_unit_of(std::string_view letters) {
  for (const CalendarUnit unit : {CalendarUnit::kWeek, CalendarUnit::kMonth, CalendarUnit::kYear}) {
    const std::string_view name = unit_name(unit);
    if (letters == name ||
        (letters.ends_with('s') && letters.substr(0, letters.size() - 1) == name)) {
      return unit;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Expected<Length> parse_length(std::string_view text) {
  std::string_view number = text;
  while (!number.empty() && !is_digit(number.back())) number.remove_suffix(1);
  const std::optional<CalendarUnit> unit = calendar_unit_of(text.substr(number.size()));
  if (unit) {
    const std::optional<std::int64_t> amount = whole_number(number);
    if (amount) return Length{*amount, *unit};
    return make_error(fmt::format(
        "'{}' is not a number of {}s: write one whole number and the unit, such as 1week or 3month",
        text, unit_name(*unit)));
  }
  const Expected<std::int64_t> duration = parse_duration(text);
  if (!duration) return tl::make_unexpected(duration.error());
  return Length{*duration, CalendarUnit::kNone};
}

Expected<int> parse_weekday(std::string_view text) {
  const auto place = std::find(kWeekdayNames.begin(), kWeekdayNames.end(), text);
  if (place == kWeekdayNames.end()) {
    return make_error(fmt::format("'{}' is not a day of the week: write monday to sunday", text));
  }
  return static_cast<int>(place - kWeekdayNames.begin()) + 1;
}

Expected<std::int64_t> parse_rows(std::string_view text) {
  const std::optional<std::int64_t> rows = whole_number(text);
  if (rows) return *rows;
  return make_error(fmt::format("'{}' is not a number of rows, such as 100", text));
}

std::string_view form_of(std::string_view kind) {
  if (kind == "tumbling") {
    return "use 'tumbling size=1d [offset=-8h]' or, by the calendar, 'tumbling size=1week "
           "[first_day=sunday]', size=1month or size=1year";
  }
  if (kind == "sliding") return "use 'sliding size=1h slide=5m [offset=1m]'";
  if (kind == "cumulate") return "use 'cumulate size=1d step=6h [offset=8h]'";
  if (kind == "session") return "use 'session gap=30m' or 'session gap_column=COL'";
  if (kind == "count") return "use 'count size=100 [slide=10]', in rows";
  return "use 'global'";
}

// The parameters of one specification. Each is taken out once; what is left over is unknown.
class Parameters {
 public:
  // `text` must outlive this.
  Parameters(std::string_view kind, std::string_view text) : kind_(kind), text_(text) {}

  Expected<void> read(std::istringstream& words) {
    std::string word;
    while (words >> word) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0) {
        return refuse(fmt::format("expected parameter=value, got '{}'", word));
      }
      const auto [place, inserted] =
          values_.emplace(word.substr(0, equals), word.substr(equals + 1));
      if (!inserted) return refuse(fmt::format("{} is given twice", place->first));
    }
    return {};
  }

  // Puts the parsed value into `target` if the parameter is given; false if it is not.
  template <typename Target, typename Parse>
  bool take(std::string_view name, Parse parse, Target& target) {
    const auto place = values_.find(name);
    if (place == values_.end()) return false;
    auto value = parse(place->second);
    if (value) {
      target = *std::move(value);
    } else if (!error_) {
      error_ = fmt::format("{}: {}", name, value.error().message);
    }
    values_.erase(place);
    return true;
  }

  template <typename Target, typename Parse>
  void require(std::string_view name, Parse parse, Target& target) {
    if (!take(name, parse, target)) missing(name);
  }

  void missing(std::string_view name) {
    if (!missing_) missing_ = name;
  }

  Expected<WindowSpec> finish(const WindowSpec& spec) const {
    if (error_) return refuse(*error_);
    if (!values_.empty()) {
      return refuse(
          fmt::format("unknown parameter '{}': {}", values_.begin()->first, form_of(kind_)));
    }
    if (missing_) return refuse(fmt::format("{} is missing: {}", *missing_, form_of(kind_)));
    if (auto valid = validate(spec); !valid) return refuse(valid.error().message);
    return spec;
  }

  tl::unexpected<Error> refuse(std::string_view reason) const {
    return make_error(fmt::format("window '{}': {}", text_, reason));
  }

 private:
  std::string_view kind_;
  std::string_view text_;
  std::map<std::string, std::string, std::less<>> values_;
  std::optional<std::string> error_;
  std::optional<std::string> missing_;
};

Expected<std::string> parse_name(std::string_view text) {
  if (text.empty()) return make_error("a column name is missing");
  return std::string(text);
}

Expected<WindowSpec> parse_tumbling(Parameters& parameters) {
  Length size;
  WindowSpec spec{WindowKind::kTumbling};
  parameters.require("size", parse_length, size);
  spec.size = spec.slide = size.amount;
  spec.unit = size.unit;
  if (size.unit == CalendarUnit::kNone) parameters.take("offset", parse_duration, spec.offset);
  if (size.unit == CalendarUnit::kWeek) {
    parameters.take("first_day", parse_weekday, spec.first_weekday);
  }
  return parameters.finish(spec);
}

Expected<WindowSpec> parse_sliding(Parameters& parameters) {
  WindowSpec spec{WindowKind::kSliding};
  parameters.require("size", parse_duration, spec.size);
  parameters.require("slide", parse_duration, spec.slide);
  parameters.take("offset", parse_duration, spec.offset);
  return parameters.finish(spec);
}

Expected<WindowSpec> parse_cumulate(Parameters& parameters) {
  WindowSpec spec{WindowKind::kCumulate};
  parameters.require("size", parse_duration, spec.size);
  parameters.require("step", parse_duration, spec.slide);
  parameters.take("offset", parse_duration, spec.offset);
  return parameters.finish(spec);
}

Expected<WindowSpec> parse_session(Parameters& parameters) {
  WindowSpec spec{WindowKind::kSession};
  const bool fixed = parameters.take("gap", parse_duration, spec.size);
  const bool of_rows = parameters.take("gap_column", parse_name, spec.gap_column);
  if (fixed && of_rows) return parameters.refuse("gap and gap_column exclude each other");
  if (!fixed && !of_rows) parameters.missing("gap");
  return parameters.finish(spec);
}

Expected<WindowSpec> parse_count_window(Parameters& parameters) {
  WindowSpec spec{WindowKind::kCount};
  parameters.require("size", parse_rows, spec.size);
  if (!parameters.take("slide", parse_rows, spec.slide)) spec.slide = spec.size;
  return parameters.finish(spec);
}

Expected<WindowSpec> parse_global(Parameters& parameters) {
  return parameters.finish(global_window());
}

struct Kind {
  std::string_view name;
  Expected<WindowSpec> (*parse)(Parameters&);
};
constexpr std::array<Kind, 6> kKinds{{{"tumbling", parse_tumbling},
                                      {"sliding", parse_sliding},
                                      {"cumulate", parse_cumulate},
                                      {"session", parse_session},
                                      {"global", parse_global},
                                      {"count", parse_count_window}}};

}  // namespace

Expected<WindowSpec> parse_window_spec(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string name;
  words >> name;
  for (const Kind& kind : kKinds) {
    if (name != kind.name) continue;
    Parameters parameters(name, text);
    if (auto read = parameters.read(words); !read) return tl::make_unexpected(read.error());
    return kind.parse(parameters);
  }
  return make_error(fmt::format(
      "unknown window kind '{}' in '{}': use tumbling, sliding, cumulate, session, global or "
      "count, as in 'tumbling size=1d' or 'sliding size=1h slide=5m'",
      name, text));
}

}  // namespace tidemark
