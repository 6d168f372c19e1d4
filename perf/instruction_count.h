// How many instructions a command executes: a figure with hardly any noise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/runtime/cancellation.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

struct InstructionCount {
  std::uint64_t instructions = 0;  // in user space, of the command and its children
  bool cancelled = false;
};

// Runs `line` by `sh -c` under `valgrind --tool=callgrind`, about 50 times slower than alone.
// Refuses a command that fails, and a machine without valgrind.
Expected<InstructionCount> count_instructions(const std::string& line,
                                              const Cancellation* cancellation);

// The total in the text of a callgrind output file.
Expected<std::uint64_t> callgrind_total(std::string_view text);

}  // namespace tidemark
