// A locale whose decimal sign is a comma, for tests of number texts.
#pragma once

#include <string>

namespace tidemark::test_support {

// Made for the test, since machines hardly ever have one installed, and gone with the object.
class CommaLocale {
 public:
  static constexpr const char* kName = "de_DE.UTF-8";

  CommaLocale();
  ~CommaLocale();
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  // False where `localedef` or its sources are missing; then a test can only be skipped.
  bool is_available() const { return available_; }
  // The folder that LOCPATH must name for setlocale() to find kName.
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  bool available_ = false;
};

}  // namespace tidemark::test_support
