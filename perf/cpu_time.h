// The CPU time that this process has used.
#pragma once

namespace tidemark {

// In seconds, of all threads, in user and kernel mode.
double process_cpu_seconds();

}  // namespace tidemark
