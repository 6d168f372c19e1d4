#include "cli/signal_watch.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace tidemark::cli {

namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

int checked(int descriptor) {
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot watch signals");
  return descriptor;
}

}  // namespace

SignalWatch::SignalWatch(Cancellation& cancellation)
    : cancellation_(cancellation), signals_(-1), stop_(-1) {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = checked(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_ = checked(::eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  const std::uint64_t one = 1;
  // An eventfd takes this write at once.
  [[maybe_unused]] const ssize_t written = ::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(signals_);
  ::close(stop_);
}

void SignalWatch::watch() {
  std::array<pollfd, 2> waited{{{signals_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (true) {
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;
    if (waited[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    const int signal = static_cast<int>(info.ssi_signo);
    if (received_.load(std::memory_order_relaxed) != 0) ::_exit(128 + signal);
    received_.store(signal, std::memory_order_relaxed);
    cancellation_.request();
  }
}

int SignalWatch::exit_code(int otherwise) const {
  const int signal = received_.load(std::memory_order_relaxed);
  return signal == 0 ? otherwise : 128 + signal;
}

}  // namespace tidemark::cli
