// Puts the one thread that owns it to sleep until another thread has something for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tidemark {

using Clock = std::chrono::steady_clock;

// A one-slot token: unpark() leaves a token, park() takes it or sleeps until one is left. A token
// left while the owner is awake makes its next park() return at once, so no wake-up is ever lost.
class Parker {
 public:
  // Sleeps until a token is there or `deadline` has passed, and takes the token. Owner only.
  void park(std::optional<Clock::time_point> deadline = std::nullopt);

  // Leaves a token and wakes the owner if it sleeps. Any thread; one atomic exchange, and a system
  // call only when the owner sleeps.
  void unpark();

 private:
  enum State : std::uint32_t { kEmpty, kParked, kToken };
  std::atomic<std::uint32_t> state_{kEmpty};
};

}  // namespace tidemark
