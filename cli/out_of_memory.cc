#include "cli/out_of_memory.h"

#include <mimalloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "cli/user_error.h"

namespace tidemark::cli {

namespace {

// Allocates nothing.
[[noreturn]] void end_process() {
  for (const char* part : {"tidemark: ", kOutOfMemory, "\n"}) {
    // Nothing more can be done where this fails.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, part, std::strlen(part));
  }
  ::_exit(kExitUsage);
}

[[noreturn]] void refuse_allocation() { throw std::bad_alloc(); }

// The allocator's own `new` may not find the handler, and would end the process.
void refuse_if_out_of_memory(int error, void* /*argument*/) {
  if (error == ENOMEM) throw std::bad_alloc();
}

// Where an exception has left a thread, or what must not throw.
[[noreturn]] void end_by_exception() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception()) {
      std::rethrow_exception(uncaught);
    }
  } catch (const std::bad_alloc&) {
    end_process();
  } catch (...) {
  }
  std::abort();
}

}  // namespace

const char* const kOutOfMemory =
    "memory ran out: fewer keys, rows or --cores need less, or the limit on memory is too low";

void report_out_of_memory() {
  // The allocator asks for the handler before it gives up, and ends the process where there is
  // none.
  std::set_new_handler(refuse_allocation);
  mi_register_error(refuse_if_out_of_memory, nullptr);
  std::set_terminate(end_by_exception);
}

}  // namespace tidemark::cli
