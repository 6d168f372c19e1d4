#include "tidemark/perf/live_metrics.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace tidemark {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double unix_seconds(EventTime time) { return static_cast<double>(time) / 1000; }

// The end of the stream is no time to draw, nor is a watermark that there is none of yet.
bool is_drawable(EventTime time) { return time != kNoWatermark && time != kEndOfTime; }

class FamilyBuilder {
 public:
  FamilyBuilder(MetricType type, std::string name, std::string help) {
    family_.type = type;
    family_.name = std::move(name);
    family_.help = std::move(help);
  }

  void add(Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    if (family_.type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    family_.metric.push_back(std::move(metric));
  }
  void add(Labels labels, std::uint64_t value) {
    add(std::move(labels), static_cast<double>(value));
  }
  void add(std::uint64_t value) { add({}, value); }

  MetricFamily take() { return std::move(family_); }

 private:
  MetricFamily family_;
};

FamilyBuilder counter_family(std::string name, std::string help) {
  return {MetricType::Counter, std::move(name), std::move(help)};
}
FamilyBuilder gauge_family(std::string name, std::string help) {
  return {MetricType::Gauge, std::move(name), std::move(help)};
}

void add_row_families(const RowTotals& totals, std::vector<MetricFamily>& families) {
  FamilyBuilder read = counter_family("tidemark_rows_read_total", "Rows read, bad ones too.");
  read.add(totals.read);
  FamilyBuilder rows = counter_family("tidemark_rows_total", "Rows by outcome.");
  rows.add({{"outcome", "on_time"}}, totals.on_time);
  rows.add({{"outcome", "late"}}, totals.late());
  rows.add({{"outcome", "bad"}}, totals.bad);
  rows.add({{"outcome", "in_no_window"}}, totals.in_no_window);
  FamilyBuilder late =
      counter_family("tidemark_late_rows_total",
                     "Late rows by what had raised the watermark above their windows.");
  late.add({{"cause", "behind_own_source"}}, totals.late_in_source);
  late.add({{"cause", "source_was_idle"}}, totals.late_after_idle);
  FamilyBuilder results = counter_family("tidemark_results_total", "Results of windows.");
  results.add(totals.results);
  for (FamilyBuilder* family : {&read, &rows, &late, &results}) {
    families.push_back(family->take());
  }
}

Labels channel_labels(std::size_t source, std::size_t stage) {
  return {{"source", std::to_string(source)}, {"stage", std::to_string(stage)}};
}

void add_channels(const LiveRun& run, std::vector<MetricFamily>& families) {
  FamilyBuilder watermark = gauge_family("tidemark_channel_watermark_seconds",
                                         "Watermark of a channel, as event time in Unix seconds.");
  FamilyBuilder lag =
      gauge_family("tidemark_channel_watermark_lag_seconds",
                   "Newest event time of all sources, less the channel's watermark.");
  FamilyBuilder idle =
      gauge_family("tidemark_channel_idle", "1 while the channel's source is idle.");
  FamilyBuilder held_batches =
      gauge_family("tidemark_queue_batches", "Batches that a channel holds.");
  FamilyBuilder fill =
      gauge_family("tidemark_queue_fill_ratio",
                   "Share of its batches that a channel holds; at 1 the source waits.");
  const EventTime newest = run.highest_event_time();
  for (std::size_t source = 0; source < run.sources(); ++source) {
    for (std::size_t stage = 0; stage < run.stages(); ++stage) {
      const ChannelFigures& channel = run.channel(source, stage);
      const Labels labels = channel_labels(source, stage);
      const EventTime reached = channel.watermark.get();
      if (is_drawable(reached)) {
        watermark.add(labels, unix_seconds(reached));
        if (is_drawable(newest)) lag.add(labels, unix_seconds(newest - reached));
      }
      idle.add(labels, channel.idle.get() ? 1.0 : 0.0);
      const auto held = static_cast<double>(channel.filled());
      held_batches.add(labels, held);
      fill.add(labels, held / static_cast<double>(run.channel_batches()));
    }
  }
  for (FamilyBuilder* family : {&watermark, &lag, &idle, &held_batches, &fill}) {
    families.push_back(family->take());
  }
}

void add_event_time(const LiveRun& run, std::vector<MetricFamily>& families) {
  FamilyBuilder watermark =
      gauge_family("tidemark_stage_watermark_seconds",
                   "Watermark of a window stage: the lowest of its channels.");
  for (std::size_t stage = 0; stage < run.stages(); ++stage) {
    const EventTime reached = run.stage(stage).watermark.get();
    if (!is_drawable(reached)) continue;
    watermark.add({{"stage", std::to_string(stage)}}, unix_seconds(reached));
  }
  FamilyBuilder newest = gauge_family("tidemark_source_event_time_seconds",
                                      "Newest event time that a source has read, in Unix seconds.");
  for (std::size_t source = 0; source < run.sources(); ++source) {
    const EventTime highest = run.source(source).highest_event_time.get();
    if (!is_drawable(highest)) continue;
    newest.add({{"source", std::to_string(source)}}, unix_seconds(highest));
  }
  families.push_back(watermark.take());
  families.push_back(newest.take());
}

void add_workers(const LiveRun& run, std::vector<MetricFamily>& families) {
  FamilyBuilder spent = counter_family(
      "tidemark_core_seconds_total",
      "Time of a worker in this run by state: busy, idle, back_pressured (no room downstream).");
  FamilyBuilder share =
      gauge_family("tidemark_core_share", "Share of a worker's time in this run.");
  const Clock::time_point now = Clock::now();
  for (std::size_t worker = 0; worker < run.workers(); ++worker) {
    const WorkerTime time = run.worker(worker).time(now);
    const std::string core = worker < run.stages() ? std::to_string(worker) : "sink";
    const std::chrono::duration<double> whole = time.busy + time.idle + time.blocked;
    const std::pair<const char*, Clock::duration> parts[] = {
        {"busy", time.busy}, {"idle", time.idle}, {"back_pressured", time.blocked}};
    for (const auto& [state, part] : parts) {
      const Labels labels{{"core", core}, {"state", state}};
      const double in_seconds = std::chrono::duration<double>(part).count();
      spent.add(labels, in_seconds);
      share.add(labels, whole.count() > 0 ? in_seconds / whole.count() : 0.0);
    }
  }
  families.push_back(spent.take());
  families.push_back(share.take());
}

class RunsCollector final : public prometheus::Collectable {
 public:
  explicit RunsCollector(const LiveRuns& runs) : runs_(runs) {}

  std::vector<MetricFamily> Collect() const override {
    const LiveRuns::State state = runs_.state();
    std::vector<MetricFamily> families;
    FamilyBuilder begun =
        counter_family("tidemark_runs_total", "Runs that have begun in this process.");
    begun.add(state.runs);
    families.push_back(begun.take());
    RowTotals totals = state.earlier;
    if (state.run) totals += state.run->totals();
    add_row_families(totals, families);
    if (!state.run) return families;
    add_event_time(*state.run, families);
    add_channels(*state.run, families);
    add_workers(*state.run, families);
    return families;
  }

 private:
  const LiveRuns& runs_;
};

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

Expected<ListenAddress> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  ListenAddress address;
  in_addr parsed{};
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
    if (error == std::errc{} && stop == end &&
        ::inet_pton(AF_INET, address.host.c_str(), &parsed) == 1) {
      return address;
    }
  }
  return make_error(fmt::format(
      "{:?} is no address to serve metrics at; one is an IPv4 address and a port, such as "
      "127.0.0.1:9464, or port 0 for any that is free",
      text));
}

sockaddr_in socket_name(const ListenAddress& address) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(address.port);
  ::inet_pton(AF_INET, address.host.c_str(), &name.sin_addr);
  return name;
}

// Connects and hangs up.
void call(const ListenAddress& address) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return;
  const sockaddr_in name = socket_name(address);
  static_cast<void>(::connect(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name));
  ::close(descriptor);
}

// Why nothing can listen there, or 0: the server library does not say.
int why_not_listen(const ListenAddress& address) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in name = socket_name(address);
  int error = 0;
  if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
      ::listen(descriptor, 1) != 0) {
    error = errno;
  }
  ::close(descriptor);
  return error;
}

}  // namespace

class LiveMetrics::Server {
 public:
  // Throws what the library does when it cannot listen.
  Server(const ListenAddress& address, const LiveRuns& runs)
      : collector_(std::make_shared<RunsCollector>(runs)),
        exposer_(std::make_unique<prometheus::Exposer>(
            fmt::format("{}:{}", address.host, address.port), 2)),
        host_(address.host),
        port_(static_cast<std::uint16_t>(exposer_->GetListeningPorts().at(0))),
        url_(fmt::format("http://{}:{}/metrics", host_, port_)) {
    exposer_->RegisterCollectable(collector_);
  }

  // The library's thread looks only every two seconds whether it shall stop, unless somebody calls.
  ~Server() {
    std::atomic<bool> stopped{false};
    std::thread caller([&] {
      // Relaxed: the flag orders nothing, and the joining below does the rest.
      while (!stopped.load(std::memory_order_relaxed)) {
        call({host_, port_});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    exposer_.reset();
    stopped.store(true, std::memory_order_relaxed);
    caller.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& url() const { return url_; }

 private:
  std::shared_ptr<prometheus::Collectable> collector_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  std::string host_;
  std::uint16_t port_;
  std::string url_;
};

Expected<std::unique_ptr<LiveMetrics>> LiveMetrics::serve(const std::string& address,
                                                          const LiveRuns& runs) {
  const Expected<ListenAddress> parsed = parse_address(address);
  if (!parsed) return tl::unexpected(parsed.error());
  const int error = why_not_listen(*parsed);
  if (error != 0) {
    return make_error(fmt::format("cannot serve metrics at {}: {}", address, std::strerror(error)));
  }
  try {
    return std::unique_ptr<LiveMetrics>(new LiveMetrics(std::make_unique<Server>(*parsed, runs)));
  } catch (const std::exception&) {
    return make_error(fmt::format("cannot serve metrics at {}: nothing can listen there", address));
  }
}

LiveMetrics::LiveMetrics(std::unique_ptr<Server> server) : server_(std::move(server)) {}
LiveMetrics::~LiveMetrics() = default;
const std::string& LiveMetrics::url() const { return server_->url(); }

}  // namespace tidemark
