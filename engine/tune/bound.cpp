// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/bound.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"
#include "engine/schedule/schedule.h"
#include "engine/tune/least_memory.h"

namespace shardscope {
namespace {

int64_t operand_bytes(const Computation& entry, const Instruction& i) {
  int64_t bytes = 0;
  for (const InstructionId operand : i.operands) bytes += entry.at(operand).shape.bytes();
  return bytes;
}

// The devices that a collective's messages go between; equal groups are looked at once.
struct Group {
  std::vector<std::string> axes;  // none: its groups are no axes of the mesh
  double ranks = 1;
  double share = 0;    // of all devices that are in groups; of a permutation, that send
  int directions = 1;  // links of a device that its messages may go over
  double links = 1;    // likewise, in the mean over its devices: at the ends of a line there is one less
};

// The bytes of a collective: what a device sends in the mean, what every device must receive once the first
// one has something to send, and what a device that comes last still has to send.
struct Traffic {
  double sent = 0, messages = 0;
  double received = 0, late = 0;
};

class Links {
 public:
  Links(const Program& program, const Hardware& hardware, const Fabric& fabric)
      : program_(program), hardware_(hardware), fabric_(fabric) {
    for (int a = 0; a < program.mesh.rank(); ++a) all_directions_ += fabric.directions(a);
  }

  const Group& group(const Instruction& i) {
    // Instructions share what they say alike.
    const void* said = i.permutation ? static_cast<const void*>(i.permutation.get()) : &*i.replica_groups;
    const auto [known, is_new] = groups_.try_emplace(said);
    if (is_new) known->second = make(i);
    return known->second;
  }

  // A group of n gathers or scatters G bytes by (n − 1)/n · G each; a broadcast or a reduction moves every
  // byte n − 1 times over n devices.
  Traffic traffic(const Instruction& i, const Group& group) const {
    const CollectiveKind kind = *collective_kind(i.opcode);
    if (kind == CollectiveKind::permute) {
      const auto bytes = static_cast<double>(i.shape.bytes());
      const bool everyone = group.share == 1;
      return {group.share * bytes, group.share, everyone ? bytes : 0, everyone ? bytes : 0};
    }
    const double n = group.ranks;
    if (n <= 1) return {};
    const auto whole = static_cast<double>(kind == CollectiveKind::all_gather
                                               ? i.shape.bytes()
                                               : operand_bytes(program_.entry_computation(), i));
    const double others = (n - 1) / n;
    const bool twice = kind == CollectiveKind::all_reduce && !i.rooted;
    Traffic out{others * group.share * whole * (twice ? 2 : 1), others * group.share, 0, 0};
    if (group.share < 1 || i.rooted) return out;
    if (kind == CollectiveKind::all_gather)
      std::tie(out.received, out.late) = std::pair(others * whole, whole / n);
    if (kind == CollectiveKind::reduce_scatter)
      std::tie(out.received, out.late) = std::pair(whole / n, others * whole);
    if (kind == CollectiveKind::all_reduce) out.received = out.late = whole;
    if (kind == CollectiveKind::all_to_all) out.received = out.late = others * whole;
    return out;
  }

  // The fastest at which a message of such a collective may go: by the links, or by any row of the chip for
  // its kind, whatever its group. A switch that adds may send less, too.
  LinkPace fastest_pace(CollectiveKind kind, Traffic& traffic) const {
    LinkPace out = fabric_.link_costs().own;
    double least = 1;
    for (const LinkOp& op : hardware_.link.ops) {
      if (op.kind != name(kind)) continue;
      if (op.step_s) out.latency = std::min(out.latency, to_picoseconds(*op.step_s));
      if (op.bytes_per_s) out.bytes_per_s = std::max(out.bytes_per_s, *op.bytes_per_s);
      if (op.in_switch) least = 0.5;  // (n + 1) / 2(n − 1) falls to a half
    }
    for (double* bytes : {&traffic.sent, &traffic.received, &traffic.late}) *bytes *= least;
    return out;
  }

 private:
  Group make(const Instruction& i) const {
    Group out;
    out.axes = collective_axes(program_, i);
    const auto devices = static_cast<double>(program_.mesh.device_count());
    if (i.permutation) {
      for (const SourceTarget& pair : i.permutation->pairs()) out.share += pair.source == pair.target ? 0 : 1;
      out.share /= devices;
    } else if (const TileAssignment& tiles = i.replica_groups->tiles; tiles.dims.size() == 2) {
      out.ranks = static_cast<double>(tiles.dims[1]);
      out.share = out.ranks * static_cast<double>(tiles.dims[0]) / devices;
    } else if (const auto groups = device_groups(program_, i); !groups.empty()) {
      out.ranks = static_cast<double>(groups[0].size());
      out.share = out.ranks * static_cast<double>(groups.size()) / devices;
    }
    out.directions = 0;
    for (const std::string& axis : out.axes)
      out.directions += fabric_.directions(*program_.mesh.axis_index(axis));
    if (out.axes.empty()) out.directions = all_directions_;
    out.directions = std::max(1, out.directions);
    out.links = out.directions;
    if (out.axes.size() == 1) {
      const int axis = *program_.mesh.axis_index(out.axes[0]);
      const auto size = static_cast<double>(program_.mesh.axis_size(axis));
      if (!fabric_.axis_wraps(axis) && size > 1) out.links = 2 * (size - 1) / size;
    }
    return out;
  }

  const Program& program_;
  const Hardware& hardware_;
  const Fabric& fabric_;
  int all_directions_ = 0;
  std::unordered_map<const void*, Group> groups_;  // by the permutation or the groups
};

// What an instruction takes: on every device from when its operands are there, and on some device from when
// they are there on the last one.
struct Duration {
  double everywhere = 0, somewhere = 0;
};

// Works that share a resource: each can begin after `release`, and after it there is `tail` left.
struct Piece {
  double release = 0, seconds = 0, tail = 0;
};

// However they are ordered, those that come late take their sum from when the first of them may begin.
double one_after_another_s(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.release > b.release; });
  double longest = 0, sum = 0, tail = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    sum += pieces[i].seconds;
    tail = i == 0 ? pieces[i].tail : std::min(tail, pieces[i].tail);
    longest = std::max(longest, pieces[i].release + sum + tail);
  }
  return longest;
}

class Bound {
 public:
  // `times`: by instruction, how often it is done where it stands for several rounds of a loop; empty: once.
  Bound(const Program& program, const std::vector<double>& times, const Hardware& hardware,
        const std::stop_token& stop)
      : program_(program),
        entry_(program.entry_computation()),
        times_(times),
        hardware_(hardware),
        stop_(stop) {}

  double seconds() {
    const size_t count = entry_.instructions.size();
    durations_.resize(count);
    measure_dots();
    const Result<Fabric> fabric = Fabric::make(program_.mesh, hardware_);
    const bool has_links = fabric.ok() && !fabric->all_pairs() && fabric->link_error().ok();
    if (has_links) measure_collectives(*fabric);
    const std::vector<double> release = releases(), tail = tails();
    std::vector<Piece> dots;
    std::map<std::string, std::vector<Piece>> by_axis;
    for (size_t k = 0; k < count; ++k) {
      if (entry_.instructions[k].opcode == Opcode::dot)
        dots.push_back({release[k], times(k) * durations_[k].everywhere, tail[k]});
    }
    for (const auto& [axis, sent] : busy_) {
      for (const auto& [k, seconds] : sent)
        by_axis[axis].push_back({release[k], times(k) * seconds, tail[k]});
    }
    double longest = std::max(way_s_, one_after_another_s(std::move(dots)));
    for (auto& [axis, pieces] : by_axis) longest = std::max(longest, one_after_another_s(std::move(pieces)));
    return longest;
  }

 private:
  double times(size_t instruction) const { return times_.empty() ? 1 : times_[instruction]; }

  // A dot reads its operands and writes its result at least.
  void measure_dots() {
    for (size_t k = 0; k < durations_.size(); ++k) {
      const Instruction& i = entry_.instructions[k];
      if (i.opcode != Opcode::dot) continue;
      const DotSize size = dot_size(entry_, i);
      const ElementType type = entry_.at(i.operands[0]).shape.type;
      const auto [peak, is_new] = peaks_.try_emplace(type);
      if (is_new) {
        const Result<Peak> published = peak_for(hardware_, type);
        if (published.ok()) peak->second = *published;
      }
      if (!peak->second) return;
      const Result<Cost> cost = product_cost(hardware_, *peak->second, {size.batch, size.m, size.k, size.n},
                                             i.shape.bytes() + operand_bytes(entry_, i));
      if (!cost.ok()) return;
      durations_[k].everywhere = durations_[k].somewhere = to_seconds(cost->total());
    }
  }

  void measure_collectives(const Fabric& fabric) {
    Links links(program_, hardware_, fabric);
    for (size_t k = 0; k < durations_.size() && !stop_.stop_requested(); ++k) {
      const Instruction& i = entry_.instructions[k];
      if (!collective_kind(i.opcode)) continue;
      const Group& group = links.group(i);
      Traffic traffic = links.traffic(i, group);
      const LinkPace pace = links.fastest_pace(*collective_kind(i.opcode), traffic);
      const double latency = to_seconds(pace.latency);
      const auto takes = [&](double bytes) {
        return bytes > 0 ? latency + bytes / pace.bytes_per_s / group.directions : 0;
      };
      durations_[k] = {takes(traffic.received), takes(traffic.late)};
      if (group.axes.size() != 1) continue;
      const double held = (traffic.sent / pace.bytes_per_s + traffic.messages * latency) / group.links;
      busy_[group.axes[0]].emplace_back(k, held);
    }
  }

  // Each device's earliest beginnings; and the way through the program that takes longest.
  std::vector<double> releases() {
    const size_t count = durations_.size();
    std::vector<double> begins(count, 0), everywhere(count, 0), somewhere(count, 0);
    for (size_t k = 0; k < count; ++k) {
      const Instruction& i = entry_.instructions[k];
      double last = 0;
      for (const auto* before : {&i.operands, &*i.control_predecessors}) {
        for (const InstructionId earlier : *before) {
          begins[k] = std::max(begins[k], everywhere[static_cast<size_t>(earlier.value)]);
          last = std::max(last, somewhere[static_cast<size_t>(earlier.value)]);
        }
      }
      everywhere[k] = begins[k] + durations_[k].everywhere;
      somewhere[k] = std::max(everywhere[k], last + durations_[k].somewhere);
      way_s_ = std::max(way_s_, somewhere[k]);
    }
    return begins;
  }

  // What comes after each instruction, counted from its end on any one device.
  std::vector<double> tails() const {
    std::vector<double> out(durations_.size(), 0);
    for (size_t k = durations_.size(); k-- > 0;) {
      const Instruction& i = entry_.instructions[k];
      const double from_here = durations_[k].somewhere + out[k];
      for (const auto* before : {&i.operands, &*i.control_predecessors}) {
        for (const InstructionId earlier : *before) {
          double& tail = out[static_cast<size_t>(earlier.value)];
          tail = std::max(tail, from_here);
        }
      }
    }
    return out;
  }

  const Program& program_;
  const Computation& entry_;
  const std::vector<double>& times_;
  const Hardware& hardware_;
  const std::stop_token& stop_;
  std::map<ElementType, std::optional<Peak>> peaks_;
  std::vector<Duration> durations_;  // by instruction
  // By axis: the seconds for which a collective holds a link, all links sharing the work.
  std::map<std::string, std::vector<std::pair<size_t, double>>> busy_;
  double way_s_ = 0;
};

}  // namespace

LeastCost least_cost(const ProgramSketch& sketch, const Hardware& hardware, const std::stop_token& stop) {
  LeastCost out;
  if (sketch.times.empty()) out.instructions = sketch.program.instruction_count();
  for (const double each : sketch.times) out.instructions += static_cast<int64_t>(each);
  out.seconds = Bound(sketch.program, sketch.times, hardware, stop).seconds();
  if (!stop.stop_requested())
    out.peak_bytes = least_peak_bytes(sketch.program, hardware.calibration.has_value());
  return out;
}

// A resharding on more has no bound: what each device holds is kept for every layout.
constexpr int64_t kMostDevices = 1 << 14;

LeastResharding::LeastResharding(const Mesh& mesh, const Hardware& hardware,
                                 const std::vector<StoredArray>& layouts)
    : held_(layouts.size()) {
  const Result<Fabric> fabric = Fabric::make(mesh, hardware);
  if (!hardware.link.ops.empty() || !fabric.ok() || fabric->all_pairs() || !fabric->link_error().ok()) return;
  int links = 0;
  for (int a = 0; a < mesh.rank(); ++a) links += fabric->directions(a);
  const LinkPace pace = fabric->link_costs().own;
  latency_s_ = to_seconds(pace.latency);
  bytes_per_s_ = pace.bytes_per_s * std::max(1, links);
  // Whatever axes split a dimension, they divide this extent.
  const int64_t whole = mesh.device_count();
  if (whole > kMostDevices) return;
  const std::vector<int64_t> dims = {whole, whole};
  const auto share = [&](const IndexRange& range, double(&out)[2]) {
    out[0] = static_cast<double>(range.start) / static_cast<double>(whole);
    out[1] = static_cast<double>(range.stop) / static_cast<double>(whole);
  };
  for (size_t at = 0; at < layouts.size(); ++at) {
    const Result<NamedSharding> sharding = NamedSharding::make(mesh, layouts[at].spec);
    if (!sharding.ok() || !sharding->shard_shape(dims).ok()) continue;
    for (int64_t d = 0; d < whole; ++d) {
      const IndexBox box = sharding->slices(DeviceId(d), dims);
      Held& held = held_[at].emplace_back();
      share(box[layouts[at].transposed ? 1 : 0], held.rows);
      share(box[layouts[at].transposed ? 0 : 1], held.cols);
    }
  }
}

double LeastResharding::seconds(size_t from, size_t to, double bytes) const {
  if (bytes_per_s_ == 0 || held_[from].empty() || held_[to].empty()) return 0;
  const auto overlap = [](const double(&a)[2], const double(&b)[2]) {
    return std::max(0.0, std::min(a[1], b[1]) - std::max(a[0], b[0]));
  };
  double lacks = 0;
  for (size_t d = 0; d < held_[to].size(); ++d) {
    const Held &has = held_[from][d], &needs = held_[to][d];
    const double wanted = (needs.rows[1] - needs.rows[0]) * (needs.cols[1] - needs.cols[0]);
    lacks = std::max(lacks, wanted - overlap(has.rows, needs.rows) * overlap(has.cols, needs.cols));
  }
  constexpr double kRounding = 1e-9;  // of the shares
  lacks -= kRounding;
  return lacks <= 0 ? 0 : latency_s_ + lacks * bytes / bytes_per_s_;
}

}  // namespace shardscope
