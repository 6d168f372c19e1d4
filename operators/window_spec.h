// What windows a job has: kind, size, slide and offset.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

enum class WindowKind : std::uint8_t { kTumbling, kSliding };

// All durations in ms. Windows are [start, start + size) with start = offset + n * slide.
struct WindowSpec {
  WindowKind kind = WindowKind::kTumbling;
  std::int64_t size = 0;
  std::int64_t slide = 0;   // equal to size for tumbling windows
  std::int64_t offset = 0;  // |offset| < slide

  friend bool operator==(const WindowSpec&, const WindowSpec&) = default;
};

WindowSpec tumbling(std::chrono::milliseconds size,
                    std::chrono::milliseconds offset = std::chrono::milliseconds{0});
WindowSpec sliding(std::chrono::milliseconds size, std::chrono::milliseconds slide,
                   std::chrono::milliseconds offset = std::chrono::milliseconds{0});

// Size and slide positive and at most kMaxDurationMs, |offset| < slide; otherwise one sentence that
// names the value and the rule.
Expected<void> validate(const WindowSpec& spec);

// From `tumbling size=1d offset=-8h` or `sliding size=1h slide=5m`; the result is validated.
Expected<WindowSpec> parse_window_spec(std::string_view text);
// The same spelling back.
std::string to_string(const WindowSpec& spec);

}  // namespace tidemark
