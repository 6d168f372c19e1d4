#include "tidemark/perf/figure_text.h"

#include <fmt/format.h>

namespace tidemark {

std::string nanoseconds_text(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1024) return fmt::format("{} B", bytes);
  if (value < 1024 * 1024) return fmt::format("{:.1f} KiB", value / 1024);
  return fmt::format("{:.1f} MiB", value / 1024 / 1024);
}

}  // namespace tidemark
