// What aggregates are made of: for each primitive its state and how values and states combine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tidemark/operators/aggregate_kernel.h"

namespace tidemark {

// Internal to the aggregate kernels and outputs, which are compiled once for each.

__extension__ using Int128 = __int128;

inline Int128 to_int128(WideInteger value) {
  __extension__ using UnsignedInt128 = unsigned __int128;
  return static_cast<Int128>(
      static_cast<UnsignedInt128>(static_cast<std::uint64_t>(value.high)) << 64 | value.low);
}

inline WideInteger to_wide(Int128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::int64_t>(value >> 64)};
}

// The order of doubles here: NaN is greater than every number and equal to itself.
inline double smaller_double(double a, double b) { return b < a || std::isnan(a) ? b : a; }
inline double greater_double(double a, double b) { return a < b || std::isnan(b) ? b : a; }

// Each operation names its state and input, the state of nothing, how a value enters, how two
// states combine and, if it can be undone, how one leaves.

struct CountOperation {
  using State = std::uint64_t;
  static constexpr bool kInvertible = true;
  static State identity() { return 0; }
  static State combine(State a, State b) { return a + b; }
  static State remove(State a, State b) { return a - b; }
};

struct CountRows : CountOperation {
  using Input = void;
};

template <typename T>
struct CountValues : CountOperation {
  using Input = T;
  static State add(State state, T) { return state + 1; }
};

struct SumIntegers {
  using State = WideInteger;
  using Input = std::int64_t;
  static constexpr bool kInvertible = true;
  static State identity() { return {0, 0}; }
  static State add(State state, std::int64_t value) { return to_wide(to_int128(state) + value); }
  static State combine(State a, State b) { return to_wide(to_int128(a) + to_int128(b)); }
  static State remove(State a, State b) { return to_wide(to_int128(a) - to_int128(b)); }
};

struct SumDoubles {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return 0.0; }
  static State add(State state, double value) { return state + value; }
  static State combine(State a, State b) { return a + b; }
};

// Kahan-Babuska summation (Neumaier 1974); what is not finite is counted apart, so that it can
// leave again.
struct CompensatedSumDoubles {
  using State = CompensatedDouble;
  using Input = double;
  static constexpr bool kInvertible = true;

  static State identity() { return {}; }

  static void add_finite(State& state, double value) {
    const double total = state.sum + value;
    if (std::fabs(state.sum) >= std::fabs(value)) {
      state.compensation += (state.sum - total) + value;
    } else {
      state.compensation += (value - total) + state.sum;
    }
    state.sum = total;
    const auto magnitude = static_cast<float>(std::fabs(state.compensation));
    if (magnitude > state.peak_compensation) state.peak_compensation = magnitude;
  }

  static State add(State state, double value) {
    if (std::isfinite(value)) {
      add_finite(state, value);
    } else if (std::isnan(value)) {
      ++state.nans;
    } else if (value > 0) {
      ++state.positive_infinities;
    } else {
      ++state.negative_infinities;
    }
    return state;
  }

  static State combine_signed(State a, const State& b, int sign) {
    add_finite(a, sign * b.sum);
    // What a sum that has overflowed carries along is no number.
    if (std::isfinite(b.sum)) add_finite(a, sign * b.compensation);
    a.nans += sign * b.nans;
    a.positive_infinities += sign * b.positive_infinities;
    a.negative_infinities += sign * b.negative_infinities;
    if (b.peak_compensation > a.peak_compensation) a.peak_compensation = b.peak_compensation;
    return a;
  }
  static State combine(State a, const State& b) { return combine_signed(a, b, 1); }
  static State remove(State a, const State& b) { return combine_signed(a, b, -1); }

  // Every step rounds the compensation by 2^-53 of its magnitude at most, and the sum not at all:
  // what that adds up to stays below 1e-12 of a result that is not tiny beside the compensation.
  // Sums that overflow, or are not numbers for that reason, are worn too.
  static bool worn(const State& state) {
    constexpr double kTiny = 1e-3;
    const double magnitude = std::fabs(state.sum + state.compensation);
    return !(magnitude * kTiny >= static_cast<double>(state.peak_compensation)) ||
           std::isinf(magnitude);
  }
};

// Exact between integers, and between doubles that are near each other.
inline double distance_between(double value, double origin) { return value - origin; }
inline double distance_between(std::int64_t value, std::int64_t origin) {
  std::int64_t distance = 0;
  if (__builtin_sub_overflow(value, origin, &distance)) {
    return static_cast<double>(value) - static_cast<double>(origin);
  }
  return static_cast<double>(distance);
}

// Chan, Golub and LeVeque (1979) for two states, Welford (1962) for one value more: squares are of
// distances from the mean, so that no digits cancel out. The mean is taken from the oldest value
// on, as in their section on shifted data, or it would lose as many digits as values are farther
// from zero than from each other.
template <typename T>
struct MomentsOf {
  using State = Moments<T>;
  using Input = T;
  static constexpr bool kInvertible = false;
  static State identity() { return {}; }

  static State combine(const State& a, const State& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto n_a = static_cast<double>(a.count);
    const auto n_b = static_cast<double>(b.count);
    const double n = n_a + n_b;
    const double distance = distance_between(b.origin, a.origin) + (b.mean - a.mean);
    return {a.count + b.count, a.origin, a.mean + distance * (n_b / n),
            a.squares + b.squares + distance * distance * (n_a * (n_b / n))};
  }

  // Member by member: copied as a whole, a state is stored in words and loaded in vectors, which
  // waits for the stores each time.
  static void add_in_place(std::byte* entry, std::size_t offset, T value) {
    const std::size_t origin_at = offset + offsetof(State, origin);
    const std::size_t mean_at = offset + offsetof(State, mean);
    const std::size_t squares_at = offset + offsetof(State, squares);
    const auto count = load_state<std::uint64_t>(entry, offset) + 1;
    if (count == 1) store_state(entry, origin_at, value);
    const double number = distance_between(value, load_state<T>(entry, origin_at));
    double mean = load_state<double>(entry, mean_at);
    const double distance = number - mean;
    mean += distance / static_cast<double>(static_cast<std::int64_t>(count));
    store_state(entry, offset, count);
    store_state(entry, mean_at, mean);
    store_state(entry, squares_at,
                load_state<double>(entry, squares_at) + distance * (number - mean));
  }
};

// By event time; of equal times the one that came first, or last. States are combined from old to
// new.
template <typename T>
struct First {
  using State = TimedState<T>;
  using Input = T;
  static constexpr bool kInvertible = false;
  static constexpr bool kReadsTimes = true;
  static State identity() { return {std::numeric_limits<EventTime>::max(), T{}}; }
  static State add(const State& state, T value, EventTime time) {
    return time < state.time ? State{time, value} : state;
  }
  static State combine(const State& older, const State& newer) {
    return newer.time < older.time ? newer : older;
  }
};

template <typename T>
struct Last {
  using State = TimedState<T>;
  using Input = T;
  static constexpr bool kInvertible = false;
  static constexpr bool kReadsTimes = true;
  static State identity() { return {std::numeric_limits<EventTime>::min(), T{}}; }
  static State add(const State& state, T value, EventTime time) {
    return time >= state.time ? State{time, value} : state;
  }
  static State combine(const State& older, const State& newer) {
    return newer.time >= older.time ? newer : older;
  }
};

template <typename T>
struct Minimum {
  using State = T;
  using Input = T;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<T>::max(); }
  static State add(State state, T value) { return combine(state, value); }
  static State combine(State a, State b) { return b < a ? b : a; }
};

template <>
struct Minimum<double> {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<double>::quiet_NaN(); }
  static State add(State state, double value) { return smaller_double(state, value); }
  static State combine(State a, State b) { return smaller_double(a, b); }
};

template <typename T>
struct Maximum {
  using State = T;
  using Input = T;
  static constexpr bool kInvertible = false;
  static State identity() { return std::numeric_limits<T>::lowest(); }
  static State add(State state, T value) { return combine(state, value); }
  static State combine(State a, State b) { return a < b ? b : a; }
};

template <>
struct Maximum<double> {
  using State = double;
  using Input = double;
  static constexpr bool kInvertible = false;
  static State identity() { return -std::numeric_limits<double>::infinity(); }
  static State add(State state, double value) { return greater_double(state, value); }
  static State combine(State a, State b) { return greater_double(a, b); }
};

}  // namespace tidemark
