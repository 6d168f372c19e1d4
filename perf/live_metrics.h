// Serves the figures of a run that goes on over HTTP, for Prometheus.
#pragma once

#include <memory>
#include <string>

#include "tidemark/operators/live_run.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// Answers GET /metrics in Prometheus' text format, from threads of its own, until it is destroyed.
// An answer reads what the run has published and slows nothing down.
class LiveMetrics {
 public:
  // `address` is HOST:PORT with HOST an IPv4 address; port 0 takes any that is free. `runs` must
  // outlive this. Refuses other addresses and those that cannot be listened at.
  static Expected<std::unique_ptr<LiveMetrics>> serve(const std::string& address,
                                                      const LiveRuns& runs);
  ~LiveMetrics();
  LiveMetrics(const LiveMetrics&) = delete;
  LiveMetrics& operator=(const LiveMetrics&) = delete;

  // Where it is served, such as http://127.0.0.1:9464/metrics.
  const std::string& url() const;

 private:
  class Server;
  explicit LiveMetrics(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace tidemark
