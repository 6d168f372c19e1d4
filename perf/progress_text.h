// A line that says how far a run has come.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tidemark/runtime/time.h"

namespace tidemark {

struct Progress {
  std::string phase;  // such as "repeat 2 of 5"; empty if there is only one
  std::uint64_t rows = 0;
  double rows_per_second = 0;
  EventTime watermark = kNoWatermark;
  std::uint64_t late = 0;
  std::optional<std::chrono::duration<double>> left;  // nothing if that cannot be known
};

// `12.3 M rows, 1.2 M rows/s, watermark 2026-10-01T00:00:00.000Z, 0 late, 41 s left`. A watermark
// that there is none of yet, or that is the end of time, is left out.
std::string progress_text(const Progress& progress);

// `run 3 of 22, 41 s left`, where `done` runs before it took `elapsed`.
std::string runs_progress_text(std::size_t done, std::size_t all,
                               std::chrono::duration<double> elapsed);

// `41 s left`, `2 min 05 s left`, `3 h 20 min left`.
std::string time_left_text(std::chrono::duration<double> left);

// Time until all is done, if the share `done` (0 to 1) took `elapsed`; nothing near the start.
std::optional<std::chrono::duration<double>> time_left(double done,
                                                       std::chrono::duration<double> elapsed);

}  // namespace tidemark
