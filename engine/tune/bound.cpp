// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/bound.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/fabric.h"
#include "engine/plan/work.h"
#include "engine/program/analysis/analysis.h"
#include "engine/run/instruction_cost.h"
#include "engine/schedule/schedule.h"
#include "engine/tune/least_collective.h"
#include "engine/tune/least_memory.h"

namespace shardscope::inline tuner {
namespace {

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
    computes_.assign(count, false);
    measure_computing();
    const Result<Fabric> fabric = Fabric::make(program_.mesh, hardware_);
    if (fabric.ok() && LeastCollectives::are_known(*fabric)) measure_collectives(*fabric);
    const std::vector<double> release = releases(), tail = tails();
    std::vector<Piece> computing;
    std::map<std::string, std::vector<Piece>> by_links;
    for (size_t k = 0; k < count; ++k) {
      if (computes_[k]) computing.push_back({release[k], times(k) * durations_[k].everywhere_s, tail[k]});
    }
    for (const auto& [links, sent] : busy_) {
      for (const Held& held : sent)
        by_links[links].push_back(
            {release[held.by] + held.launch_s, times(held.by) * held.seconds, held.behind_s + tail[held.by]});
    }
    double longest = std::max(way_s_, one_after_another_s(std::move(computing)));
    for (auto& [links, pieces] : by_links)
      longest = std::max(longest, one_after_another_s(std::move(pieces)));
    return longest;
  }

  // After seconds().
  double products_s() const {
    double sum = 0;
    for (size_t k = 0; k < durations_.size(); ++k)
      if (entry_.instructions[k].opcode == Opcode::dot) sum += times(k) * durations_[k].everywhere_s;
    return sum;
  }

 private:
  double times(size_t instruction) const { return times_.empty() ? 1 : times_[instruction]; }

  // A dot reads its operands and writes its result at least; an add of it to a sum takes nothing more. What
  // is made for its only reader may be one with it: no launch. What has zero cost waits for no lane.
  void measure_computing() {
    const std::vector<InstructionId> fused = fused_dots(entry_);
    const ModuleTiming nothing_said;
    const std::vector<bool> by_product = done_by_products(program_, entry_, hardware_, nothing_said);
    for (size_t k = 0; k < durations_.size(); ++k) {
      const Instruction& i = entry_.instructions[k];
      const CostClass kind = operation(i.opcode).cost;
      double seconds = 0;
      if (i.opcode == Opcode::dot) {
        seconds = product_s(i);
      } else if (kind == CostClass::memory && !is_free(i) && !fused[k].valid()) {
        const auto cost = instruction_cost({.program = program_,
                                            .computation = entry_,
                                            .instruction = i,
                                            .hardware = hardware_,
                                            .timing = nothing_said,
                                            .by_product = by_product[k]});
        if (cost.ok()) seconds = to_seconds(cost->cost.total() - cost->cost.overhead);
      } else {
        continue;
      }
      computes_[k] = seconds > 0;
      durations_[k] = {.everywhere_s = seconds, .behind_last_s = seconds};
    }
  }
  double product_s(const Instruction& i) {
    const DotSize size = dot_size(entry_, i);
    const ElementType type = entry_.at(i.operands[0]).shape.type;
    const auto [peak, is_new] = peaks_.try_emplace(type);
    if (is_new) {
      const Result<Peak> published = peak_for(hardware_, type);
      if (published.ok()) peak->second = *published;
    }
    if (!peak->second) return 0;
    const Result<Cost> cost = product_cost(hardware_, *peak->second, {size.batch, size.m, size.k, size.n},
                                           i.shape.bytes() + operand_bytes(entry_, i));
    return cost.ok() ? to_seconds(cost->total()) : 0;
  }

  void measure_collectives(const Fabric& fabric) {
    LeastCollectives collectives(program_, hardware_, fabric);
    for (size_t k = 0; k < durations_.size() && !stop_.stop_requested(); ++k) {
      const Instruction& i = entry_.instructions[k];
      if (!collective_kind(i.opcode)) continue;
      const LeastCollective least = collectives.of(i);
      durations_[k] = least.takes;
      if (!least.links.empty())
        busy_[least.links].push_back({k, least.launch_s, least.held_s, least.behind_s});
    }
  }

  // When an instruction begins on the first device, and when it is there on that and on the last one, at
  // least.
  struct When {
    double begins = 0, everywhere = 0, somewhere = 0;
  };
  template <class Of>
  When when(size_t k, const Of& of) const {
    const Instruction& i = entry_.instructions[k];
    When out;
    double last = 0;
    for (const auto* before : {&i.operands, &*i.control_predecessors}) {
      for (const InstructionId earlier : *before) {
        const When& it = of(static_cast<size_t>(earlier.value));
        out.begins = std::max(out.begins, it.everywhere);
        last = std::max(last, it.somewhere);
      }
    }
    if (computes_[k] && out.begins > 0) out.begins = std::max(out.begins, from_start_s_);
    const LeastDuration& takes = durations_[k];
    out.everywhere = out.begins + takes.everywhere_s;
    out.somewhere = out.begins + std::max(takes.everywhere_s, takes.somewhere_s);
    if (takes.waits_for_own) out.somewhere = std::max(out.somewhere, last + takes.behind_last_s);
    return out;
  }

  // Each device's earliest beginnings; and the way through the program that takes longest. What a device can
  // compute from the start it computes before all that comes later.
  std::vector<double> releases() {
    const size_t count = durations_.size();
    from_start_s_ = at_the_start_s();
    std::vector<double> begins(count, 0);
    std::vector<When> whens(count);
    for (size_t k = 0; k < count; ++k) {
      whens[k] = when(k, [&](size_t earlier) -> const When& { return whens[earlier]; });
      begins[k] = whens[k].begins;
      if (times(k) > 1 && (k + 1 == count || times(k + 1) == 1)) repeat_round(k + 1, whens);
    }
    for (const When& it : whens) way_s_ = std::max(way_s_, it.somewhere);
    return begins;
  }

  // Of the round that ends here as many as it stands for, one after the other: each waits for the one before,
  // and the one before that, as it does for those that stand there. `whens`: those of the last two of them.
  void repeat_round(size_t end, std::vector<When>& whens) const {
    constexpr double kMostRounds = 512;
    const Rounds like = like_rounds(end);
    const size_t size = like.size, none = like.numbers.size();
    if (size == 0) return;
    std::vector<When> two(2 * size);  // the last but one, and the last
    for (size_t n = 0; n < 2 * size; ++n) two[n] = whens[like.numbers[size + n]];
    const auto rounds = static_cast<int64_t>(std::min(times(end - 1), kMostRounds));
    const When nothing;  // of what says which part
    for (int64_t r = 1; r < rounds; ++r) {
      std::vector<When> now(size);
      for (size_t n = 0; n < size; ++n) {
        now[n] = when(like.numbers[2 * size + n], [&](size_t earlier) -> const When& {
          if (earlier < like.numbers[0]) return whens[earlier];
          const size_t at = like.place_of[earlier - like.numbers[0]];
          if (at == none) return nothing;
          return at < 2 * size ? two[at] : now[at - 2 * size];
        });
        // From then on none comes sooner than the one before.
        const When& before = two[size + n];
        if (r == 1 && (now[n].everywhere < before.everywhere || now[n].somewhere < before.somewhere)) return;
      }
      std::copy(two.begin() + std::ptrdiff_t(size), two.end(), two.begin());
      std::ranges::move(now, two.begin() + std::ptrdiff_t(size));
    }
    for (size_t n = 0; n < 2 * size; ++n) whens[like.numbers[size + n]] = two[n];
  }

  // The round that ends here and the two before it: arrays by number, as many of each; what says which part
  // of an array it is has no place. Empty: they are not alike.
  struct Rounds {
    size_t size = 0;                        // of one
    std::vector<size_t> numbers, place_of;  // by place; by number from the first on
  };
  Rounds like_rounds(size_t end) const {
    const auto counts = [&](size_t k) {
      const Shape& shape = entry_.instructions[k].shape;
      return shape.is_tuple || shape.rank() > 0 || shape.type == ElementType::token;
    };
    Rounds out;
    size_t k = end;
    for (; k > 0 && times(k - 1) > 1; --k) out.size += counts(k - 1) ? 1 : 0;
    for (k = end; k > 0 && out.numbers.size() < 3 * out.size; --k)
      if (counts(k - 1)) out.numbers.push_back(k - 1);
    std::ranges::reverse(out.numbers);
    const auto opcode = [&](size_t place) { return entry_.instructions[out.numbers[place]].opcode; };
    bool alike = out.size > 0 && out.numbers.size() == 3 * out.size;
    for (size_t n = 0; alike && n < 2 * out.size; ++n) alike = opcode(n) == opcode(n + out.size);
    if (!alike) return {};
    out.place_of.assign(end - out.numbers[0], out.numbers.size());
    for (size_t n = 0; n < out.numbers.size(); ++n) out.place_of[out.numbers[n] - out.numbers[0]] = n;
    return out;
  }

  // Of all that waits for nothing.
  double at_the_start_s() const {
    std::vector<bool> waits(durations_.size(), false);
    double sum = 0;
    for (size_t k = 0; k < waits.size(); ++k) {
      const Instruction& i = entry_.instructions[k];
      for (const auto* before : {&i.operands, &*i.control_predecessors}) {
        for (const InstructionId earlier : *before) {
          const auto e = static_cast<size_t>(earlier.value);
          waits[k] = waits[k] || waits[e] || computes_[e] || !is_free(entry_.at(earlier));
        }
      }
      if (computes_[k] && !waits[k]) sum += times(k) * durations_[k].everywhere_s;
    }
    return sum;
  }

  // What comes after each instruction, counted from its end on any one device.
  std::vector<double> tails() const {
    std::vector<double> out(durations_.size(), 0);
    for (size_t k = durations_.size(); k-- > 0;) {
      const Instruction& i = entry_.instructions[k];
      if (!durations_[k].waits_for_own) continue;
      const double from_here = durations_[k].behind_last_s + out[k];
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
  std::vector<LeastDuration> durations_;  // by instruction
  std::vector<bool> computes_;            // likewise: on the lane of its device that products are on
  // What a LeastCollective says of them.
  struct Held {
    size_t by = 0;
    double launch_s = 0, seconds = 0, behind_s = 0;
  };
  std::map<std::string, std::vector<Held>> busy_;  // by links
  double from_start_s_ = 0, way_s_ = 0;
};

}  // namespace

LeastCost least_cost(const ProgramSketch& sketch, const Hardware& hardware, const std::stop_token& stop) {
  LeastCost out;
  if (sketch.times.empty()) out.instructions = sketch.program.instruction_count();
  for (const double each : sketch.times) out.instructions += static_cast<int64_t>(each);
  Bound bound(sketch.program, sketch.times, hardware, stop);
  out.seconds = bound.seconds();
  out.products_s = bound.products_s();
  if (stop.stop_requested()) return out;
  const Computation& entry = sketch.program.entry_computation();
  out.peak_bytes = least_peak_bytes(sketch.program, done_by_products(sketch.program, entry, hardware, {}));
  return out;
}

// A resharding on more has no bound: what each device holds is kept for every layout.
constexpr int64_t kMostDevices = 1 << 14;

LeastResharding::LeastResharding(const Mesh& mesh, const Hardware& hardware,
                                 const std::vector<StoredArray>& layouts)
    : held_(layouts.size()) {
  const Result<Fabric> fabric = Fabric::make(mesh, hardware);
  if (!fabric.ok() || !LeastCollectives::are_known(*fabric)) return;
  int links = 0;
  for (int a = 0; a < mesh.rank(); ++a) links += fabric->directions(a);
  if (fabric->has_pair_links()) links = fabric->devices() - 1;
  const LeastCollectives::Pace pace = LeastCollectives::fastest(hardware, *fabric);
  bytes_per_s_ = pace.bytes_per_s;
  at_least_s_ = pace.launch_s + pace.latency_s;
  // By ports all devices send what all lack.
  in_the_mean_ = fabric->has_port();
  if (!in_the_mean_) bytes_per_s_ *= std::max(1, links);
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
  double most = 0, sum = 0;
  for (size_t d = 0; d < held_[to].size(); ++d) {
    const Held &has = held_[from][d], &needs = held_[to][d];
    const double wanted = (needs.rows[1] - needs.rows[0]) * (needs.cols[1] - needs.cols[0]);
    const double lacks = wanted - overlap(has.rows, needs.rows) * overlap(has.cols, needs.cols);
    most = std::max(most, lacks);
    sum += lacks;
  }
  double lacks = in_the_mean_ ? sum / static_cast<double>(held_[to].size()) : most;
  constexpr double kRounding = 1e-9;  // of the shares
  lacks -= kRounding;
  return lacks <= 0 ? 0 : at_least_s_ + lacks * bytes / bytes_per_s_;
}

}  // namespace shardscope::inline tuner
