#include "tidemark/perf/instruction_count.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tidemark/perf/shell_command.h"

namespace tidemark {

namespace {

// `text` as one word of a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// One file for each process that ran.
Expected<std::uint64_t> sum_of_files(const std::string& folder) {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Expected<std::uint64_t> total = callgrind_total(text);
    if (!total) return total;
    sum += *total;
  }
  return sum;
}

}  // namespace

Expected<std::uint64_t> callgrind_total(std::string_view text) {
  // `totals:` is the sum over all parts of the run; older files only have `summary:`.
  for (const std::string_view label : {"\ntotals: ", "\nsummary: "}) {
    const std::size_t at = text.rfind(label);
    if (at == std::string_view::npos) continue;
    std::uint64_t total = 0;
    const char* begin = text.data() + at + label.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), total);
    if (error == std::errc() && end != begin) return total;
  }
  return make_error("callgrind wrote no total of instructions");
}

Expected<InstructionCount> count_instructions(const std::string& line,
                                              const Cancellation* cancellation) {
  Expected<ShellCommandResult> valgrind = run_shell_command("valgrind --version", cancellation);
  if (!valgrind) return tl::unexpected(valgrind.error());
  if (valgrind->exit_code != 0) {
    return make_error("instructions are counted by valgrind, which is not installed");
  }
  const ScratchFolder folder;
  Expected<ShellCommandResult> result =
      run_shell_command(fmt::format("exec valgrind --quiet --tool=callgrind --trace-children=yes "
                                    "--callgrind-out-file={}/%p sh -c {}",
                                    quoted(folder.path()), quoted(line)),
                        cancellation);
  if (!result) return tl::unexpected(result.error());
  if (result->cancelled) return InstructionCount{0, true};
  if (result->exit_code != 0) {
    return make_error(
        fmt::format("`{}` ended with exit code {} under valgrind", line, result->exit_code));
  }
  const Expected<std::uint64_t> sum = sum_of_files(folder.path());
  if (!sum) return tl::unexpected(sum.error());
  return InstructionCount{*sum, false};
}

}  // namespace tidemark
