#include "tidemark/perf/hardware_instructions.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tidemark {

Expected<HardwareInstructions> HardwareInstructions::begin() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long descriptor =
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) {
    return make_error(std::string("the CPU's counter is not available (") + std::strerror(errno) +
                      ")");
  }
  return HardwareInstructions(static_cast<int>(descriptor));
}

HardwareInstructions::HardwareInstructions(HardwareInstructions&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

HardwareInstructions::~HardwareInstructions() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Expected<std::uint64_t> HardwareInstructions::count() const {
  // Count, time that it was asked for, time that it ran.
  std::array<std::uint64_t, 3> values{};
  if (::read(descriptor_, values.data(), sizeof values) != sizeof values) {
    return make_error("the CPU's counter cannot be read");
  }
  if (values[1] != values[2]) return make_error("the CPU's counter was shared with others");
  return values[0];
}

}  // namespace tidemark
