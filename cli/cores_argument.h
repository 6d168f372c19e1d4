// `--cores`: how many workers a command runs, and where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark::cli {

// So many workers may share each core that there is. Every worker hands rows to every other, so
// memory grows as the square of their number.
inline constexpr std::size_t kMostWorkersPerCore = 8;

struct CoresChoice {
  std::size_t cores = 1;
  std::vector<int> cpus;            // to pin to, one per core; empty if cores are more than those
  std::optional<std::string> note;  // for people: that workers share cores
};

// `text` is as written on the command line; empty takes what `allowance` allows. Throws UserError
// for what is no number of cores, or too many of them.
CoresChoice choose_cores(const std::string& text, const CpuAllowance& allowance);

}  // namespace tidemark::cli
