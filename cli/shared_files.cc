#include "cli/shared_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/user_error.h"

namespace tidemark::cli {

namespace {

namespace fs = std::filesystem;

// Where opening the path for writing leads: through links, also to a file that is not there yet.
fs::path target_of(fs::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole;
}

// Whether nothing is lost if both are written.
bool is_device(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  if (a == "-" || b == "-") return a == b;
  if (is_device(a)) return false;
  std::error_code error;
  return target_of(a) == target_of(b) || fs::equivalent(a, b, error);
}

// The input that the output would overwrite; empty if there is none.
std::string overwritten(const std::string& input, const std::string& output) {
  if (output == "-") return {};
  // A shell's `<file` may lead to a file.
  if (input == "-") return is_same_file("/proc/self/fd/0", output) ? output : "";
  if (is_same_file(input, output)) return input;
  std::error_code error;
  if (!fs::is_directory(input, error)) return {};
  for (const fs::directory_entry& entry : fs::directory_iterator(input, error)) {
    if (is_same_file(entry.path().string(), output)) return entry.path().string();
  }
  return {};
}

}  // namespace

void refuse_shared_files(const std::vector<std::string>& inputs,
                         const std::vector<OptionFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OptionFile& output = outputs[i];
    for (const std::string& input : inputs) {
      const std::string lost = overwritten(input, output.path);
      if (lost.empty()) continue;
      throw UserError(fmt::format("{} {} would overwrite the input{}: give it another name",
                                  output.option, output.path,
                                  lost == output.path ? "" : fmt::format(" {}", lost)));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(output.path, outputs[j].path)) continue;
      throw UserError(fmt::format("{} and {} cannot both go to {}: give each its own name",
                                  outputs[j].option, output.option,
                                  output.path == "-" ? "standard output" : output.path));
    }
  }
}

}  // namespace tidemark::cli
