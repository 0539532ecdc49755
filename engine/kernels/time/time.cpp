// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/time/time.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "engine/kernels/time/cost.h"

namespace shardscope::kernels {

namespace {

class Timer {
 public:
  Timer(const KernelProgram& program, const KernelCost& cost) : program_(program), cost_(cost) {
    const size_t count = program.devices.size(), semaphores = program.layout.semaphores.size();
    devices_.resize(count);
    out_.devices.resize(count);
    for (size_t d = 0; d < count; ++d) {
      devices_[d].values.assign(semaphores, 0);
      out_.devices[d].semaphores.resize(semaphores);
    }
  }

  Result<KernelTime> run() {
    for (int32_t d = 0; d < program_.device_count(); ++d) later(0, {Kind::resume, d});
    while (!queue_.empty()) {
      const Moment next = queue_.top();
      queue_.pop();
      now_ = next.at;
      if (next.what.kind == Kind::resume) {
        TRY_VOID(resume(next.what.device));
      } else if (next.what.kind == Kind::arrives) {
        TRY_VOID(arrive(arrivals_[static_cast<size_t>(next.what.arrival)]));
      } else {
        if (next.what.kind == Kind::landed) count_in_flight(-1);
        tell(next.what.device, next.what.semaphore, next.what.units);
      }
    }
    for (int32_t d = 0; d < program_.device_count(); ++d) {
      if (device(d).done) continue;
      return invalid(fmt::format("device {} waits at line {} for ever", d, op_of(d).line),
                     program_.layout.kernel, "see its findings");
    }
    finish();
    return std::move(out_);
  }

 private:
  enum class Kind : uint8_t { resume, signalled, arrives, landed };
  struct What {
    Kind kind;
    int32_t device;
    int32_t semaphore = -1;
    int64_t units = 0;
    int32_t arrival = -1;  // of `arrives`: its place in arrivals_
  };
  // A remote copy whose first byte is there: it is written to hbm while the rest comes.
  struct Arrival {
    const Op* op;
    int32_t source;
    int32_t dma;
    Picoseconds through;  // when the last byte is off the link
  };
  struct Moment {
    Picoseconds at;
    int64_t order;
    What what;
    bool operator<(const Moment& o) const { return std::pair(o.at, o.order) < std::pair(at, order); }
  };
  struct Device {
    size_t next = 0;
    bool done = false, blocked = false;
    Picoseconds blocked_since = 0, hbm_free = 0, first_product = -1, last_product = 0;
    int64_t vmem = 0;
    std::vector<int64_t> values;
  };

  Device& device(int32_t d) { return devices_[static_cast<size_t>(d)]; }
  KernelDeviceTime& time_of(int32_t d) { return out_.devices[static_cast<size_t>(d)]; }
  const Op& op_of(int32_t d) { return program_.devices[static_cast<size_t>(d)][device(d).next]; }
  void later(Picoseconds at, What what) { queue_.push({at, order_++, what}); }

  KernelEvent event(KernelLane lane, int32_t d, const Op& op, Picoseconds start, Picoseconds end) {
    KernelEvent out;
    out.lane = lane;
    out.device = d;
    out.line = op.line;
    out.start = start;
    out.end = end;
    KernelDeviceTime& time = time_of(d);
    Picoseconds* sums[] = {&time.mxu, &time.hbm, &time.link, &time.wait};
    *sums[static_cast<size_t>(lane)] += end - start;
    return out;
  }

  // A device's statements from where it stands until one takes time.
  Result<void> resume(int32_t d) {
    Device& self = device(d);
    while (true) {
      const Op& op = op_of(d);
      switch (op.kind) {
        case OpKind::wait:
          if (!take(d, op)) return {};
          break;
        case OpKind::start:
          TRY_VOID(start(d, op));
          break;
        case OpKind::signal:
          later(now_ + (op.device == d ? 0 : cost_.signal(d, op.device)),
                {Kind::signalled, op.device, op.semaphore, op.units});
          break;
        case OpKind::dot:
          ++self.next;
          return product(d, op);
        case OpKind::enter:
          self.vmem = cost_.resident_vmem();
          time_of(d).vmem.push_back({now_, self.vmem});
          ++self.next;
          later(now_ + cost_.launch(), {Kind::resume, d});
          return {};
        case OpKind::alloc:
        case OpKind::free: {
          const int64_t bytes = program_.buffer(op.dst.buffer).bytes();
          self.vmem += op.kind == OpKind::alloc ? bytes : -bytes;
          point(time_of(d).vmem, self.vmem);
          break;
        }
        case OpKind::exit:
          self.done = true;
          time_of(d).end = now_;
          return {};
        default:
          break;
      }
      ++self.next;
    }
  }

  void point(std::vector<KernelPoint>& points, int64_t value) const {
    if (!points.empty() && points.back().time == now_) points.pop_back();
    points.push_back({now_, value});
  }

  void set_value(int32_t d, int32_t semaphore, int64_t value) {
    device(d).values[static_cast<size_t>(semaphore)] = value;
    point(time_of(d).semaphores[static_cast<size_t>(semaphore)], value);
  }

  bool take(int32_t d, const Op& op) {
    Device& self = device(d);
    const int64_t value = self.values[static_cast<size_t>(op.semaphore)];
    if (value < op.units) {
      if (!self.blocked) self.blocked_since = now_;
      self.blocked = true;
      return false;
    }
    if (self.blocked && now_ > self.blocked_since) {
      KernelEvent waited = event(KernelLane::wait, d, op, self.blocked_since, now_);
      waited.semaphore = op.semaphore;
      out_.events.push_back(waited);
    }
    self.blocked = false;
    set_value(d, op.semaphore, value - op.units);
    return true;
  }

  void tell(int32_t d, int32_t semaphore, int64_t units) {
    if (semaphore < 0) return;
    set_value(d, semaphore, device(d).values[static_cast<size_t>(semaphore)] + units);
    if (device(d).blocked && op_of(d).semaphore == semaphore) later(now_, {Kind::resume, d});
  }

  void count_in_flight(int64_t change) {
    in_flight_ += change;
    point(out_.in_flight, in_flight_);
  }

  bool in_hbm(const Slice& s) const { return program_.buffer(s.buffer).space == MemorySpace::hbm; }

  // When `bytes` of the copy `op` are through the hbm channel of `d`, behind what wants it already.
  Result<Picoseconds> pass_hbm(int32_t d, const Op& op, int32_t dma, int64_t bytes) {
    TRY(const Picoseconds duration, cost_.hbm(bytes));
    if (duration == 0) return now_;
    const Picoseconds begin = std::max(now_, device(d).hbm_free);
    device(d).hbm_free = begin + duration;
    time_of(d).hbm_bytes += bytes;
    KernelEvent copy = event(KernelLane::hbm, d, op, begin, begin + duration);
    copy.bytes = program_.bytes(op.a);
    copy.dma = dma;
    out_.events.push_back(copy);
    return begin + duration;
  }

  Result<void> start(int32_t d, const Op& op) {
    const int64_t bytes = program_.bytes(op.a);
    const int32_t number = dmas_++;
    count_in_flight(1);
    const int64_t from_hbm = in_hbm(op.a) ? bytes : 0, to_hbm = in_hbm(op.dst) ? bytes : 0;
    if (op.device == d) {
      TRY(const Picoseconds copied, pass_hbm(d, op, number, from_hbm + to_hbm));
      later(copied, {Kind::signalled, d, op.semaphore, bytes});
      later(copied, {Kind::landed, d, op.receive_semaphore, bytes});
      return {};
    }
    TRY_VOID(cost_.links_known());
    TRY(const Picoseconds read, pass_hbm(d, op, number, from_hbm));
    // The link takes bytes as they are read, so a busy channel delays its end and not its start.
    Picoseconds at = now_, end = read, sent = -1;
    for (const KernelCost::Link& link : cost_.way(d, op.device, bytes)) {
      const Picoseconds begin = std::max(at, link_free_[link.id]);
      link_free_[link.id] = begin + link.held;
      at = begin + link.latency;
      end = std::max(read, begin + link.arrives);
      if (sent < 0) sent = std::max(read, begin + link.arrives - link.latency);
      KernelEvent hop = event(KernelLane::link, link.device, op, begin, begin + link.held);
      hop.peer = op.device;
      hop.bytes = bytes;
      hop.dma = number;
      out_.events.push_back(hop);
    }
    time_of(d).link_bytes += bytes;
    later(sent, {Kind::signalled, d, op.semaphore, bytes});
    arrivals_.push_back({&op, d, number, end});
    later(at, {Kind::arrives, op.device, -1, 0, static_cast<int32_t>(arrivals_.size()) - 1});
    return {};
  }

  Result<void> arrive(const Arrival& arrival) {
    const Op& op = *arrival.op;
    const int64_t bytes = program_.bytes(op.a);
    TRY(const Picoseconds written, pass_hbm(op.device, op, arrival.dma, in_hbm(op.dst) ? bytes : 0));
    const int32_t told = op.told_device(arrival.source);
    const Picoseconds back = told == op.device ? 0 : cost_.signal(op.device, told);
    later(std::max(arrival.through, written) + back, {Kind::landed, told, op.receive_semaphore, bytes});
    return {};
  }

  Result<void> product(int32_t d, const Op& op) {
    TRY(const Picoseconds duration, cost_.product(op.a.box.rows, op.a.box.cols, op.b.box.cols));
    KernelEvent dot = event(KernelLane::mxu, d, op, now_, now_ + duration);
    dot.flops = 2.0 * static_cast<double>(op.a.box.elements()) * static_cast<double>(op.b.box.cols);
    out_.events.push_back(dot);
    Device& self = device(d);
    KernelDeviceTime& time = time_of(d);
    time.flops += dot.flops;
    if (self.first_product < 0) {
      self.first_product = now_;
      time.prologue = now_;
    } else {
      time.bubbles += now_ - self.last_product;
    }
    self.last_product = now_ + duration;
    later(now_ + duration, {Kind::resume, d});
    return {};
  }

  void finish() {
    for (int32_t d = 0; d < program_.device_count(); ++d) {
      if (device(d).first_product >= 0) time_of(d).epilogue = time_of(d).end - device(d).last_product;
      out_.total = std::max(out_.total, time_of(d).end);
    }
    std::stable_sort(out_.events.begin(), out_.events.end(), [](const KernelEvent& a, const KernelEvent& b) {
      return std::tuple(a.start, a.device, a.lane) < std::tuple(b.start, b.device, b.lane);
    });
    out_.roofline = cost_.roofline(out_);
    out_.assumptions = cost_.assumptions();
  }

  const KernelProgram& program_;
  const KernelCost& cost_;
  KernelTime out_;
  std::vector<Device> devices_;
  std::priority_queue<Moment> queue_;
  std::map<int64_t, Picoseconds> link_free_;
  std::vector<Arrival> arrivals_;
  Picoseconds now_ = 0;
  int64_t order_ = 0, in_flight_ = 0;
  int32_t dmas_ = 0;
};

Result<void> check_places(const KernelProgram& program) {
  for (const auto& ops : program.devices) {
    for (const Op& op : ops) {
      bool fits = true;
      for (const Slice* s : {&op.a, &op.b, &op.dst})
        fits = fits && (s->buffer < 0 || program.buffer(s->buffer).box().covers(s->box));
      const bool remote = op.kind == OpKind::start || op.kind == OpKind::signal;
      if (remote) fits = fits && op.device >= 0 && op.device < program.device_count();
      if (!fits)
        return invalid(fmt::format("line {} leaves its buffer or names no device", op.line),
                       program.layout.kernel, "see its findings");
    }
  }
  return {};
}

}  // namespace

Result<KernelTime> time_kernel(const KernelProgram& program, const Hardware& hardware, KernelWraps wraps) {
  TRY_VOID(check_places(program));
  const Mesh& mesh = program.layout.mesh;
  TRY(const KernelCost cost,
      KernelCost::make(program, hardware,
                       wraps == KernelWraps::of_chip ? with_chip_wraps(mesh, hardware) : mesh));
  return Timer(program, cost).run();
}

}  // namespace shardscope::kernels
