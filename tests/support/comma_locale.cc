#include "support/comma_locale.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace tidemark::test_support {

CommaLocale::CommaLocale() {
  folder_ = (std::filesystem::temp_directory_path() / "tidemark_locale_XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make " + folder_);
  // It may warn, and end with 1, and yet have made the locale.
  const std::string command = fmt::format(
      "localedef --no-archive -i de_DE -f UTF-8 '{}/{}' >/dev/null 2>&1", folder_, kName);
  [[maybe_unused]] const int status = std::system(command.c_str());
  available_ = std::filesystem::exists(fmt::format("{}/{}/LC_NUMERIC", folder_, kName));
}

CommaLocale::~CommaLocale() { std::filesystem::remove_all(folder_); }

}  // namespace tidemark::test_support
