// What a command throws to end with a message and an exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tidemark/runtime/error.h"

namespace tidemark::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 1;
inline constexpr int kExitWrongResult = 4;

// The user asked for something that cannot be done: printed as one line, exit code 1.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The value, or a UserError.
template <typename T>
T value_or_throw(Expected<T> expected) {
  if (!expected) throw UserError(expected.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(expected);
}

}  // namespace tidemark::cli
