#include "cli/cores_argument.h"

#include <fmt/format.h>

#include <cstdint>

#include "cli/user_error.h"
#include "tidemark/connectors/quantity.h"

namespace tidemark::cli {

CoresChoice choose_cores(const std::string& text, const CpuAllowance& allowance) {
  CoresChoice choice;
  choice.cores = allowance.workers;
  if (!text.empty()) {
    const std::uint64_t cores = value_or_throw(parse_count(text, "--cores"));
    const std::uint64_t most = kMostWorkersPerCore * allowance.workers;
    if (cores == 0 || cores > most) {
      throw UserError(
          fmt::format("--cores must be from 1 to {}: {} for each core that may be used, of which "
                      "there are {} ({}); but it is {}",
                      most, kMostWorkersPerCore, allowance.workers, allowance.reason, text));
    }
    choice.cores = static_cast<std::size_t>(cores);
  }
  if (choice.cores > allowance.workers) {
    choice.note =
        fmt::format("{} cores were asked for, but there are only {} ({}); workers share them",
                    choice.cores, allowance.workers, allowance.reason);
  }
  if (choice.cores <= allowance.cpus.size()) {
    choice.cpus.assign(allowance.cpus.begin(),
                       allowance.cpus.begin() + static_cast<std::ptrdiff_t>(choice.cores));
  }
  return choice;
}

}  // namespace tidemark::cli
