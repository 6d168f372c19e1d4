// How values of C++ types become cells of columns, and come back: event times, keys and the inputs
// of aggregates.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

using SysTimeMs = std::chrono::sys_time<std::chrono::milliseconds>;

// What `Function` (a member pointer or a callable) makes of a row.
template <typename Function, typename Row>
using Extracted = std::remove_cvref_t<std::invoke_result_t<const Function&, const Row&>>;

// Member pointers go by value, so that no store of a loop can seem to change them.
template <typename Function>
using Passed = std::conditional_t<std::is_member_pointer_v<Function>, Function, const Function&>;

template <typename T>
struct Nullable {
  using Value = T;
  static constexpr bool kIsOptional = false;
};
template <typename T>
struct Nullable<std::optional<T>> {
  using Value = T;
  static constexpr bool kIsOptional = true;
};
template <typename T>
using NonNull = typename Nullable<T>::Value;

// --- Event times ---

template <typename T>
inline constexpr bool kIsSysTime = false;
template <typename Rep, typename Period>
inline constexpr bool kIsSysTime<
    std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<Rep, Period>>> =
    std::integral<Rep>;

// Milliseconds since the epoch in a 64-bit integer, or a std::chrono::sys_time.
template <typename T>
concept EventTimeValue = kIsSysTime<NonNull<T>> ||
    (std::integral<NonNull<T>> && sizeof(NonNull<T>) == sizeof(EventTime));

// An event time that cannot be held, or is absent, becomes one that is_valid_event_time() refuses.
template <EventTimeValue T>
constexpr EventTime to_event_time(const T& value) {
  using std::chrono::milliseconds;
  if constexpr (Nullable<T>::kIsOptional) {
    return value ? to_event_time(*value) : kNoWatermark;
  } else if constexpr (std::integral<T>) {
    return std::in_range<EventTime>(value) ? static_cast<EventTime>(value) : kNoWatermark;
  } else {
    using Unit = typename T::duration;
    const Unit since_epoch = value.time_since_epoch();
    if constexpr (std::ratio_greater_v<typename Unit::period, std::milli>) {
      // Checked in its own unit: milliseconds could overflow.
      if (since_epoch < std::chrono::floor<Unit>(milliseconds{kMinEventTime}) ||
          since_epoch > std::chrono::ceil<Unit>(milliseconds{kMaxEventTime})) {
        return kNoWatermark;
      }
    }
    return std::chrono::floor<milliseconds>(since_epoch).count();
  }
}

// Fills `times` for all `rows`; false if one of them is not a valid event time.
template <typename Row, typename Function>
bool read_times(std::span<const Row> rows, Passed<Function> function, EventTime* times) {
  bool all_valid = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EventTime time = to_event_time(Extracted<Function, Row>(std::invoke(function, rows[i])));
    times[i] = time;
    all_valid &= is_valid_event_time(time);
  }
  return all_valid;
}

// Rows have the clock's time, which their source task gives them.
struct ClockTime {};

// Rows have an event time, and some bring a watermark.
template <typename TimeFunction, typename WatermarkFunction>
struct PunctuatedTime {
  TimeFunction time;
  WatermarkFunction watermark;
};

template <typename Time>
inline constexpr bool kIsPunctuated = false;
template <typename TimeFunction, typename WatermarkFunction>
inline constexpr bool kIsPunctuated<PunctuatedTime<TimeFunction, WatermarkFunction>> = true;

// Fills `times` for all `rows` by any of the above or a function; false if one of them is not a
// valid event time.
template <typename Row, typename Time>
bool read_row_times(std::span<const Row> rows, const Time& time, EventTime* times) {
  if constexpr (std::same_as<Time, ClockTime>) {
    std::fill_n(times, rows.size(), EventTime{0});
    return true;
  } else if constexpr (kIsPunctuated<Time>) {
    return read_times<Row, decltype(time.time)>(rows, time.time, times);
  } else {
    return read_times<Row, Time>(rows, time, times);
  }
}

// --- Keys ---

// Character arrays and pointers are left out: nothing says where they end.
template <typename T>
concept TextValue =
    std::convertible_to<const T&, std::string_view> && !std::is_pointer_v<T> && !std::is_array_v<T>;
template <typename T>
concept IntegerKeyValue = (std::integral<T> || std::is_enum_v<T>)&&sizeof(T) <=
                          sizeof(std::int64_t);
template <typename T>
concept KeyValue = TextValue<NonNull<T>> || IntegerKeyValue<NonNull<T>>;

template <typename T, bool = std::is_enum_v<T>>
struct IntegerOf {
  using Type = T;
};
template <typename T>
struct IntegerOf<T, true> {
  using Type = std::underlying_type_t<T>;
};

// A column of it holds the bits of unsigned 64-bit numbers, which it cannot hold by value.
template <typename T>
inline constexpr bool kIsUnsigned64 = [] {
  if constexpr (IntegerKeyValue<T>) {
    return std::is_unsigned_v<typename IntegerOf<T>::Type> && sizeof(T) == sizeof(std::int64_t);
  } else {
    return false;
  }
}();

template <KeyValue T>
constexpr ColumnType key_column_type() {
  return TextValue<NonNull<T>> ? ColumnType::kString : ColumnType::kInt64;
}

// What results hold for a key of type T: T itself, but every text is a std::string of its own.
template <typename T>
struct KeyOf {
  using Type = std::conditional_t<TextValue<T>, std::string, T>;
};
template <typename T>
struct KeyOf<std::optional<T>> {
  using Type = std::optional<typename KeyOf<T>::Type>;
};
template <typename T>
using ResultKey = typename KeyOf<T>::Type;

// Writes the keys of `rows` to the cells from `at` on.
template <typename Row, typename Function>
void read_keys(std::span<const Row> rows, Passed<Function> function, Column& column,
               std::size_t at) {
  using Key = Extracted<Function, Row>;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    decltype(auto) key = std::invoke(function, rows[i]);
    const auto write = [&column, cell = at + i](const NonNull<Key>& value) {
      if constexpr (TextValue<NonNull<Key>>) {
        column.set_string(cell, value);
      } else {
        column.int64s()[cell] = static_cast<std::int64_t>(value);
      }
    };
    if constexpr (!Nullable<Key>::kIsOptional) {
      write(key);
    } else if (key) {
      write(*key);
    } else {
      column.set_null(at + i);
      // A NULL cell of a reused batch must not name string bytes that are gone.
      if constexpr (TextValue<NonNull<Key>>) column.set_string(at + i, {});
    }
  }
}

// The key in cell `row`, as the user's type (see ResultKey).
template <typename Key>
Key key_at(const Column& column, std::size_t row) {
  if constexpr (Nullable<Key>::kIsOptional) {
    if (column.is_null(row)) return std::nullopt;
    return key_at<NonNull<Key>>(column, row);
  } else if constexpr (std::same_as<Key, std::string>) {
    return std::string(column.string(row));
  } else {
    return static_cast<Key>(column.int64s()[row]);
  }
}

// --- Inputs of aggregates ---

template <typename T>
concept IntegerInput = std::integral<T> && sizeof(T) <= sizeof(std::int64_t) && !kIsUnsigned64<T>;
template <typename T>
concept DoubleInput = std::floating_point<T> && sizeof(T) <= sizeof(double);
template <typename T>
concept NumberInput = IntegerInput<NonNull<T>> || DoubleInput<NonNull<T>>;

// For inputs that are no numbers only their presence counts, as 0 or NULL.
template <typename T>
constexpr ColumnType input_column_type() {
  return DoubleInput<NonNull<T>> ? ColumnType::kDouble : ColumnType::kInt64;
}

template <typename Cell, typename T>
Cell input_cell(const T& value) {
  if constexpr (NumberInput<T>) {
    return static_cast<Cell>(value);
  } else {
    return Cell{};
  }
}

// Writes the inputs of `rows` to the cells from `at` on.
template <typename Row, typename Function>
void read_inputs(std::span<const Row> rows, Passed<Function> function, Column& column,
                 std::size_t at) {
  using Input = Extracted<Function, Row>;
  using Cell =
      std::conditional_t<input_column_type<Input>() == ColumnType::kDouble, double, std::int64_t>;
  Cell* cells = nullptr;
  if constexpr (std::same_as<Cell, double>) {
    cells = column.doubles() + at;
  } else {
    cells = column.int64s() + at;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    decltype(auto) input = std::invoke(function, rows[i]);
    if constexpr (!Nullable<Input>::kIsOptional) {
      cells[i] = input_cell<Cell>(input);
    } else if (input) {
      cells[i] = input_cell<Cell>(*input);
    } else {
      column.set_null(at + i);
    }
  }
}

}  // namespace tidemark
