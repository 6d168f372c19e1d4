// What happens where memory runs out.
#pragma once

namespace tidemark::cli {

// From then on an allocation that fails, on any thread, throws std::bad_alloc; what nothing catches
// ends the process with one sentence and the exit code of an error. Call it before any other thread
// starts.
void report_out_of_memory();

// What to say of it.
extern const char* const kOutOfMemory;

}  // namespace tidemark::cli
