// Which build this is; written by cmake/version.cmake.
#pragma once

#include <string>

namespace tidemark::cli {

struct BuildInfo {
  std::string version;
  std::string commit;  // with "-dirty" if the tree had changes; "unknown" outside a repository
  std::string compiler;
  std::string build_type;
  std::string flags;
};

const BuildInfo& build_info();

}  // namespace tidemark::cli
