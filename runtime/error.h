// How the layers below the command line report what a user did wrong: tl::expected<T, Error>.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tidemark {

// One sentence for a person: what is wrong, where, and what to do about it.
struct Error {
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> make_error(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace tidemark
