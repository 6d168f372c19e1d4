// Counts instructions by the CPU's own counter, where the system lets a process have it.
#pragma once

#include <cstdint>
#include <string>

#include "tidemark/runtime/error.h"

namespace tidemark {

// Of this thread and of all threads that it starts from now on, in user space; perf_event_open of
// Linux. Containers and virtual machines mostly have none.
class HardwareInstructions {
 public:
  // Begins to count; refuses, with the system's reason, where there is no counter.
  static Expected<HardwareInstructions> begin();
  HardwareInstructions(HardwareInstructions&& other) noexcept;
  HardwareInstructions& operator=(HardwareInstructions&&) = delete;
  ~HardwareInstructions();

  // How many so far, those of threads that have ended included. Refuses a count that is not whole
  // because counters were shared with others.
  Expected<std::uint64_t> count() const;

 private:
  explicit HardwareInstructions(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace tidemark
