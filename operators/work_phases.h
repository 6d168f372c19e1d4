// Where the time of a window stage goes, phase by phase; for a profiler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __x86_64__
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace tidemark {

enum class WorkPhase : std::uint8_t {
  kProbe,   // keys of rows are looked up
  kUpdate,  // rows go into the states of panes or buckets
  kFire,    // slices are sealed and merged, results are computed and written
  kEvict,   // what no window needs any more leaves: states and keys
  kOther,
};
inline constexpr std::size_t kWorkPhases = 5;

// Ticks spent in each phase. Time runs from one stamp to the next and belongs to the phase that the
// later one names. A tick is the processor's time stamp counter where there is one, which counts at
// an even pace; only shares of ticks mean anything. A stamp costs some ten nanoseconds, which go to
// the phase that it ends. Not thread-safe.
class PhaseClock {
 public:
  using Ticks = std::array<std::uint64_t, kWorkPhases>;

  // Time until now belongs to no phase.
  void start() { last_ = now(); }

  void stamp(WorkPhase phase) {
    const std::uint64_t time = now();
    ticks_[static_cast<std::size_t>(phase)] += time - last_;
    last_ = time;
    ++stamps_;
  }

  const Ticks& ticks() const { return ticks_; }
  std::uint64_t stamps() const { return stamps_; }

  static std::uint64_t now() {
#ifdef __x86_64__
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t stamps_ = 0;
  Ticks ticks_{};
};

// What work that nobody profiles has in its place: nothing is left of it.
struct NoPhases {
  void stamp(WorkPhase /*phase*/) {}
};

}  // namespace tidemark
