#include "tidemark/runtime/parker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace tidemark {

namespace {

std::uint32_t* futex_word(std::atomic<std::uint32_t>& state) {
  static_assert(sizeof(state) == sizeof(std::uint32_t) &&
                std::atomic<std::uint32_t>::is_always_lock_free);
  return reinterpret_cast<std::uint32_t*>(&state);
}

// std::chrono::steady_clock reads CLOCK_MONOTONIC, which is also the clock of the absolute timeout
// of FUTEX_WAIT_BITSET.
timespec to_timespec(Clock::time_point time) {
  const auto since_boot = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot - seconds);
  timespec result{};
  result.tv_sec = static_cast<std::time_t>(seconds.count());
  result.tv_nsec = static_cast<long>(rest.count());
  return result;
}

// Sleeps while the word holds `expected`. False once the deadline has passed; true for any other
// reason to look again.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::optional<Clock::time_point> deadline) {
  timespec timeout{};
  if (deadline) {
    if (*deadline <= Clock::now()) return false;
    timeout = to_timespec(*deadline);
  }
  const long result =
      syscall(SYS_futex, futex_word(word), FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
              deadline ? &timeout : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0 || errno == EAGAIN || errno == EINTR) return true;
  if (errno == ETIMEDOUT) return false;
  throw std::system_error(errno, std::generic_category(), "waiting for a futex failed");
}

void futex_wake_one(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, futex_word(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, nullptr, nullptr, 0);
}

}  // namespace

void Parker::park(std::optional<Clock::time_point> deadline) {
  std::uint32_t expected = kEmpty;
  // Relaxed on success: nothing is published by going to sleep, and what the owner must see comes
  // with the token below. Either this exchange comes first in the order of state_, then unpark()
  // finds kParked and wakes us, or unpark() comes first, then we find its token and do not sleep.
  // Both sides change the same word, so no stronger order between different words is needed.
  if (state_.compare_exchange_strong(expected, kParked, std::memory_order_relaxed,
                                     std::memory_order_relaxed)) {
    // Relaxed: only decides whether to sleep on; the exchange below acquires.
    while (state_.load(std::memory_order_relaxed) == kParked) {
      if (!futex_wait(state_, kParked, deadline)) break;
    }
  }
  // Acquire, as an exchange and not a store: it takes the newest token, so it sees what every
  // unpark() up to that one has released.
  state_.exchange(kEmpty, std::memory_order_acquire);
}

void Parker::unpark() {
  // Release: what this thread wrote before is seen by the owner once it has taken the token. An
  // exchange, so that it also carries on the release sequence of tokens it writes over.
  if (state_.exchange(kToken, std::memory_order_release) == kParked) futex_wake_one(state_);
}

}  // namespace tidemark
