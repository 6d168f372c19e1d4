// Figures as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark {

// With the unit that fits: 640 ns, 12.3 us, 4.56 ms, 1.2 s.
std::string nanoseconds_text(double nanoseconds);

// 512 B, 1.5 KiB, 20.0 MiB.
std::string bytes_text(std::uint64_t bytes);

}  // namespace tidemark
