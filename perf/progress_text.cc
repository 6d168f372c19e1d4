#include "tidemark/perf/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

namespace {

std::string utc_text(EventTime time) {
  fmt::memory_buffer text;
  TimeFormatter(TimeStyle::kIso).append(time, text);
  return fmt::to_string(text);
}

}  // namespace

std::string time_left_text(std::chrono::duration<double> left) {
  const auto whole = static_cast<std::int64_t>(std::ceil(left.count()));
  if (whole < 60) return fmt::format("{} s left", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s left", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min left", whole / 3600, whole / 60 % 60);
}

std::string progress_text(const Progress& progress) {
  std::string text = progress.phase.empty() ? "" : progress.phase + ": ";
  text += fmt::format("{} rows, {} rows/s", short_count(static_cast<double>(progress.rows)),
                      short_count(progress.rows_per_second));
  if (progress.watermark != kNoWatermark && progress.watermark != kEndOfTime) {
    text += ", watermark " + utc_text(progress.watermark);
  }
  text += fmt::format(", {} late", short_count(static_cast<double>(progress.late)));
  if (progress.left) text += ", " + time_left_text(*progress.left);
  return text;
}

std::string runs_progress_text(std::size_t done, std::size_t all,
                               std::chrono::duration<double> elapsed) {
  const auto left = time_left(static_cast<double>(done) / static_cast<double>(all), elapsed);
  return fmt::format("run {} of {}{}", done + 1, all, left ? ", " + time_left_text(*left) : "");
}

std::optional<std::chrono::duration<double>> time_left(double done,
                                                       std::chrono::duration<double> elapsed) {
  constexpr double kTooEarly = 0.005;
  if (done < kTooEarly) return std::nullopt;
  return elapsed * (std::max(1 - done, 0.0) / done);
}

}  // namespace tidemark
