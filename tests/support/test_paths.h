// Where the tests find the project and its command.
#pragma once

#include <string>

namespace tidemark::test_support {

// Without a slash at the end.
std::string source_directory();
// The `tidemark` command that was built with the tests.
std::string command_path();

}  // namespace tidemark::test_support
