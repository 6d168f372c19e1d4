#include "support/test_paths.h"

namespace tidemark::test_support {

std::string source_directory() { return TIDEMARK_SOURCE_DIR; }

std::string command_path() { return TIDEMARK_COMMAND; }

}  // namespace tidemark::test_support
