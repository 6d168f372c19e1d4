// A set of CPUs of any size, as the scheduler calls of the kernel take it.
#pragma once

#include <sched.h>

#include <memory>

namespace tidemark {

struct CpuSetDeleter {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
// From CPU_ALLOC; null where there is no memory.
using CpuSet = std::unique_ptr<cpu_set_t, CpuSetDeleter>;

}  // namespace tidemark
