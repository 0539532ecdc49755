// SPDX-License-Identifier: Apache-2.0
#include "engine/cluster/cluster.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>

#include "engine/cluster/listed_schedule.h"
#include "engine/cluster/packet.h"
#include "engine/cluster/sent_values.h"

namespace shardscope::inline cluster {

// What a rank says of a job when it is done with it.
struct Cluster::Answer {
  std::optional<Error> error;
  bool torn = false;
  int64_t started = 0, ended = 0;
  DeviceValues root;
  std::vector<WorkEntry> log;
};

namespace {

constexpr int kLostStatus = 4;  // as of a file that cannot be read

std::vector<std::byte> next_message(Link& link, Link::Channel channel, const Link::Waiting& waiting) {
  std::vector<std::byte> bytes(static_cast<size_t>(waiting.bytes));
  link.receive(waiting.from, channel, bytes);
  return bytes;
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             DeviceTransport::Clock::now().time_since_epoch())
      .count();
}

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// A rank that cannot work with rank 0, if there is one.
std::optional<Error> odd_one_out(const std::vector<std::string>& texts, const std::vector<std::string>& hosts,
                                 const std::string& what) {
  for (size_t r = 1; r < texts.size(); ++r)
    if (texts[r] != texts[0])
      return invalid(
          "rank " + std::to_string(r) + " has " + what + " " + texts[r] + ", rank 0 has " + texts[0],
          "host " + hosts[r], "start the same shardscope on every host");
  return std::nullopt;
}

}  // namespace

Cluster::Cluster(std::unique_ptr<Link> link, int threads) : link_(std::move(link)), workers_(threads) {}

Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::join(const Options& options) {
  TRY(std::unique_ptr<Link> link, Link::open());
  const std::vector<std::string> hosts = link->gather(link->host());
  const std::vector<std::string> versions = link->gather(options.version);
  const std::vector<std::string> kernels = link->gather(kernel_name(best_isa()));
  std::optional<Error> odd = odd_one_out(versions, hosts, "version");
  if (!odd) odd = odd_one_out(kernels, hosts, "the kernel");
  if (link->told(odd ? 1 : 0) != 0) return odd ? *odd : cancelled();
  int threads = options.threads;
  if (threads == 0) {
    const int cores = Workers().threads(), sharing = std::max(1, link->ranks_of_host());
    threads = std::max(1, cores / sharing);
  }
  std::unique_ptr<Cluster> cluster(new Cluster(std::move(link), threads));
  cluster->hosts_ = hosts;
  cluster->align_clocks();
  cluster->link_->watch([cluster = cluster.get(), says = options.on_lost](int rank) {
    const auto r = static_cast<size_t>(rank);
    if (says)
      says(io_error("rank " + std::to_string(rank) + " does not answer",
                    r < cluster->hosts_.size() ? "host " + cluster->hosts_[r] : "mpi",
                    "see whether it is stopped or its host is gone, and start all ranks again"));
    cluster->link_->abandon(kLostStatus);
  });
  return cluster;
}

// The answer to the quickest of several questions says how far a clock is ahead, by half of what it took.
void Cluster::align_clocks() {
  constexpr int kQuestions = 12;
  clock_ahead_.assign(static_cast<size_t>(link_->size()), 0);
  if (!leads()) {
    for (int q = 0; q < kQuestions; ++q) {
      int64_t time = 0;
      link_->receive(0, Link::Channel::data, bytes_of(time));
      time = now_ns();
      link_->send(0, Link::Channel::data, bytes_of(time));
    }
    return;
  }
  for (int r = 1; r < link_->size(); ++r) {
    int64_t quickest = std::numeric_limits<int64_t>::max();
    for (int q = 0; q < kQuestions; ++q) {
      int64_t asked = now_ns(), there = 0;
      link_->send(r, Link::Channel::data, bytes_of(asked));
      link_->receive(r, Link::Channel::data, bytes_of(there));
      const int64_t back = now_ns();
      if (back - asked >= quickest) continue;
      quickest = back - asked;
      // Ranks of one host read the same clock.
      const bool same_host = hosts_[static_cast<size_t>(r)] == hosts_[0];
      clock_ahead_[static_cast<size_t>(r)] = same_host ? 0 : there - (asked + back) / 2;
    }
  }
}

bool Cluster::is_again(const Job& job, const std::vector<DeviceValues>& parameters) const {
  return part_ != nullptr && parameters_.are(parameters) && part_->does(job);
}

void Cluster::send_job(const Job& job, const std::vector<DeviceValues>& parameters, int to, bool again) {
  PacketWriter out;
  out.put(again ? Order::again : Order::run);
  out.put(job_);
  SentValues values;
  if (!again) {
    out.put(clock_ahead_[static_cast<size_t>(to)]);
    out.put(division_);
    out.put(job.trap_slices);
    out.put(job.isa);
    out.put_text(print_program(job.program));
    put_schedules(job.schedules, out);
    out.put(std::ssize(parameters));
    for (const DeviceValues& parameter : parameters)
      for (const DeviceId device : division_.devices_of(to))
        values.put(parameter[static_cast<size_t>(device.value)], out);
  }
  link_->send(to, Link::Channel::order, out.bytes());
  values.send(*link_, to, Link::Channel::data);
}

void Cluster::stop_others() {
  if (told_to_stop_) return;
  told_to_stop_ = true;
  PacketWriter out;
  out.put(Order::stop);
  for (int r = 1; r < division_.ranks; ++r) link_->send(r, Link::Channel::order, out.bytes());
}

bool Cluster::take_answers() {
  while (const auto waiting = link_->waiting(Link::Channel::answer)) {
    PacketReader in(next_message(*link_, Link::Channel::answer, *waiting));
    Answer answer;
    answer.error = in.get_error();
    answer.torn = in.get<bool>();
    answer.started = in.get<int64_t>();
    answer.ended = in.get<int64_t>();
    answer.log = in.get_all<WorkEntry>();
    if (!answer.error) {
      ReceivedValues values(pool_);
      const auto devices = division_.devices_of(waiting->from).size();
      for (size_t d = 0; d < devices; ++d) answer.root.push_back(values.get(in));
      values.receive(*link_, waiting->from, Link::Channel::data);
    }
    answers_[static_cast<size_t>(waiting->from)] = std::move(answer);
  }
  return std::ranges::none_of(answers_, [](const auto& a) { return a && a->error; });
}

Result<DeviceValues> Cluster::run(const Job& job, std::vector<DeviceValues> parameters,
                                  const RunLimits& limits, const std::function<void(double)>& progress) {
  if (link_->torn())
    return io_error("the ranks were stopped in the middle of a run", "mpi", "start them again");
  const bool again = is_again(job, parameters);
  ++job_;
  told_to_stop_ = false;
  division_ = Division::of(job.program.mesh.device_count(), link_->size());
  answers_.clear();
  answers_.resize(static_cast<size_t>(link_->size()));
  for (int r = 1; r < division_.ranks; ++r) send_job(job, parameters, r, again);
  if (!again) {
    parameters_.note(parameters);
    part_ = std::make_unique<Part>(
        *link_, Part::Task{job.program, job.schedules, job.trap_slices, job.isa, division_, job_, 0},
        workers_);
    std::vector<DeviceValues> own;
    for (const DeviceValues& parameter : parameters) {
      DeviceValues& values = own.emplace_back();
      for (const DeviceId device : part_->here())
        values.push_back(parameter[static_cast<size_t>(device.value)]);
    }
    part_->give(std::move(own));
  }
  RunLimits own_limits = limits;
  own_limits.ranks = nullptr;
  const auto go_on = [&] { return take_answers() && !limits.stop.stop_requested(); };
  auto root = part_->run(job_, std::move(own_limits), go_on, progress);
  return collect(static_cast<size_t>(division_.devices), std::move(root), limits);
}

Result<DeviceValues> Cluster::collect(size_t devices, Result<DeviceValues> own, const RunLimits& limits) {
  Patience patience;
  const auto missing = [&] {
    return std::any_of(answers_.begin() + 1, answers_.begin() + division_.ranks,
                       [](const auto& answer) { return !answer; });
  };
  if (!own.ok()) stop_others();
  while (missing()) {
    if (!take_answers() || limits.stop.stop_requested()) stop_others();
    if (missing()) patience.wait();
  }
  // What went wrong first is what others were only stopped for.
  std::optional<Error> error;
  if (!own.ok()) error = own.error();
  for (int r = 1; r < division_.ranks; ++r) {
    const Answer& answer = *answers_[static_cast<size_t>(r)];
    if (!answer.error || (error && error->kind != ErrorKind::cancelled)) continue;
    if (!error || answer.error->kind != ErrorKind::cancelled) error = answer.error;
  }
  if (error) {
    part_ = nullptr;
    return limits.stop.stop_requested() ? cancelled() : *error;
  }
  int64_t start = part_->started(), end = part_->ended();
  std::vector<WorkEntry> log = part_->log();
  DeviceValues out(devices);
  for (int r = 0; r < division_.ranks; ++r) {
    DeviceValues& root = r == 0 ? *own : answers_[static_cast<size_t>(r)]->root;
    const std::vector<DeviceId> here = division_.devices_of(r);
    for (size_t d = 0; d < here.size(); ++d) out[static_cast<size_t>(here[d].value)] = std::move(root[d]);
    if (r == 0) continue;
    const Answer& answer = *answers_[static_cast<size_t>(r)];
    start = std::min(start, answer.started);
    end = std::max(end, answer.ended);
    log.insert(log.end(), answer.log.begin(), answer.log.end());
  }
  if (!keeps_first_ || log_.empty()) {
    std::ranges::stable_sort(log, {}, &WorkEntry::start);
    log_ = std::move(log);
    logged_ = std::make_shared<const Program>(part_->program());
    logged_division_ = division_;
  }
  seconds_ = static_cast<double>(end - start) * 1e-9;
  return out;
}

void Cluster::take_job(PacketReader& in, bool again) {
  job_ = in.get<int64_t>();
  if (!again) {
    Part::Task task;
    task.number = job_;
    task.clock_ahead = in.get<int64_t>();
    task.division = in.get<Division>();
    task.trap_slices = in.get<bool>();
    task.isa = in.get<Isa>();
    auto program = parse_program(in.get_text());
    CHECK(program.ok(), program.ok() ? "" : program.error().text());
    task.program = *std::move(program);
    task.schedules = get_schedules(in);
    part_ = nullptr;
    part_ = std::make_unique<Part>(*link_, std::move(task), workers_);
    std::vector<DeviceValues> parameters(static_cast<size_t>(in.get<std::ptrdiff_t>()));
    ReceivedValues values(part_->pool());
    for (DeviceValues& parameter : parameters)
      for (size_t d = 0; d < part_->here().size(); ++d) parameter.push_back(values.get(in));
    values.receive(*link_, 0, Link::Channel::data);
    part_->give(std::move(parameters));
  }
}

void Cluster::answer(Result<DeviceValues> root, const Part& part) {
  PacketWriter out;
  out.put_error(root.ok() ? std::nullopt : std::optional(root.error()));
  out.put(link_->torn());
  out.put(part.started());
  out.put(part.ended());
  out.put_all(part.log());
  SentValues values;
  if (root.ok())
    for (const DeviceValue& value : *root) values.put(value, out);
  link_->send(0, Link::Channel::answer, out.bytes());
  values.send(*link_, 0, Link::Channel::data);
}

void Cluster::serve(const std::stop_token& stop) {
  Patience patience;
  for (;;) {
    // Who stops a rank of many stops them all: mpirun sees to the others.
    if (stop.stop_requested()) std::_Exit(143);
    const auto waiting = link_->waiting(Link::Channel::order, 0);
    if (!waiting) {
      patience.wait();
      continue;
    }
    patience.again();
    PacketReader in(next_message(*link_, Link::Channel::order, *waiting));
    const auto order = in.get<Order>();
    if (order == Order::end) return;
    if (order == Order::stop) continue;  // of a job that was done already
    take_job(in, order == Order::again);
    std::stop_source stopped;
    RunLimits limits(stopped.get_token());
    const auto go_on = [&] {
      if (stop.stop_requested()) std::_Exit(143);
      const auto told = link_->waiting(Link::Channel::order, 0);
      if (!told) return true;
      next_message(*link_, Link::Channel::order, *told);  // nothing else is said in a job
      stopped.request_stop();
      return false;
    };
    answer(part_->run(job_, std::move(limits), go_on), *part_);
  }
}

Result<std::vector<std::string>> Cluster::gather(const std::string& own) {
  auto all = link_->gather_all(own, [this] { return !stop_.stop_requested(); });
  if (!all) return cancelled();
  return *std::move(all);
}

void Cluster::leave(int status) {
  // Others may wait for what this one was to give.
  if (shares_ && status != 0 && (link_->torn() || stop_.stop_requested())) link_->abandon(status);
  if (!leads() || shares_) return;
  part_ = nullptr;
  const bool torn =
      link_->torn() || std::ranges::any_of(answers_, [](const auto& a) { return a && a->torn; });
  if (torn) link_->abandon(status);
  PacketWriter out;
  out.put(Order::end);
  for (int r = 1; r < link_->size(); ++r) link_->send(r, Link::Channel::order, out.bytes());
}

}  // namespace shardscope::inline cluster
