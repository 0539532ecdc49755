// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/written_out.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/analysis/scalar_fusions.h"
#include "engine/program/analysis/talks.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/scalar.h"

namespace shardscope::inline program {
namespace {

using Known = std::vector<std::optional<int64_t>>;  // by instruction; none: depends on data

class Writer {
 public:
  Writer(const Program& program, DataDecisions* decisions) : program_(program), decisions_(decisions) {
    if (decisions != nullptr && decisions->keep_fusions) kept_ = fusions_to_keep(program);
  }

  Result<Computation> flat(const Computation& entry) {
    out_.name = entry.name;
    out_.verbatim = entry.verbatim;
    TRY(out_.root, copy(entry, {}, true));
    return std::move(out_);
  }

 private:
  // What is known of `from` when it is called with `arguments`, equal on the first and the last device.
  Known known_of(const Computation& from, const std::vector<InstructionId>& arguments, bool is_entry) const {
    Computation probe = from;
    for (Instruction& i : probe.instructions) {
      std::optional<int64_t> value;
      if (!is_entry && i.parameter_number >= 0)
        value = value_of(arguments[static_cast<size_t>(i.parameter_number)]);
      if (const auto element = is_entry ? std::nullopt : parameter_element(from, i)) {
        const auto number = static_cast<size_t>(from.at(i.operands[0]).parameter_number);
        const auto parts = parts_.find(arguments[number].value);
        if (parts != parts_.end()) value = value_of(parts->second[*element]);
      }
      if (!value) continue;
      i.opcode = Opcode::constant;
      i.operands.clear();
      i.literal =
          i.shape.type == ElementType::pred ? (*value != 0 ? "true" : "false") : std::to_string(*value);
    }
    Known out = evaluate_scalars(probe, DeviceId(0));
    const Known last = evaluate_scalars(probe, DeviceId(program_.mesh.device_count() - 1));
    for (size_t k = 0; k < out.size(); ++k)
      if (out[k] != last[k]) out[k].reset();
    return out;
  }

  std::optional<int64_t> value_of(InstructionId written) const {
    return values_[static_cast<size_t>(written.value)];
  }

  // Writes the instructions of `from`; gives its root.
  Result<InstructionId> copy(const Computation& from, const std::vector<InstructionId>& arguments,
                             bool is_entry) {
    if (++copies_ > kMostWrittenOut) return too_long();  // calls of what writes nothing
    const Known known = known_of(from, arguments, is_entry);
    std::vector<InstructionId> to(from.instructions.size());
    for (size_t k = 0; k < from.instructions.size(); ++k) {
      Instruction i = from.instructions[k];
      if (i.parameter_number >= 0 && !is_entry) {
        to[k] = arguments[static_cast<size_t>(i.parameter_number)];
        continue;
      }
      std::optional<int64_t> decision;
      if (i.opcode == Opcode::conditional) decision = known[static_cast<size_t>(i.operands[0].value)];
      for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
      if (!i.control_predecessors.empty()) {
        auto& predecessors = i.control_predecessors.edit();
        for (InstructionId& earlier : predecessors) earlier = to[static_cast<size_t>(earlier.value)];
        std::ranges::sort(predecessors);
      }
      TRY(to[k], write(std::move(i), decision, known[k]));
    }
    return to[static_cast<size_t>(from.root.value)];
  }

  Result<InstructionId> write(Instruction i, std::optional<int64_t> decision, std::optional<int64_t> value) {
    if (i.tuple_index >= 0) {
      const auto parts = parts_.find(i.operands[0].value);
      if (parts != parts_.end()) return parts->second[static_cast<size_t>(i.tuple_index)];
    }
    if (is_inlined(i)) return copy(program_.computation(i.called.front().computation), i.operands, false);
    if (i.opcode == Opcode::while_) return rounds(i);
    if (i.opcode == Opcode::conditional) return branch(i, decision);
    if (out_.instructions.size() >= static_cast<size_t>(kMostWrittenOut)) return too_long();
    name_again(i);
    if (round_ >= 0) i.provenance.edit().step = std::max(i.provenance->step, 0) + round_;
    const auto from_before = [&](InstructionId operand) { return operand.value <= turn_.value; };
    if (turn_.valid() && std::ranges::all_of(i.operands, from_before)) {
      std::vector<InstructionId>& before = i.control_predecessors.edit();
      before.insert(std::ranges::lower_bound(before, turn_), turn_);
    }
    const InstructionId id(static_cast<int64_t>(out_.instructions.size()));
    if (i.opcode == Opcode::tuple) parts_[id.value] = i.operands;
    out_.instructions.push_back(std::move(i));
    values_.push_back(value);
    return id;
  }

  // Where its name was written before, it gets one of its own.
  void name_again(Instruction& i) {
    const auto [before, is_first] = names_.try_emplace(i.name);
    if (is_first) return;
    Provenance& from = i.provenance.edit();
    if (before->second.name.empty()) before->second.name = i.name;
    if (from.source.empty()) from.source = before->second.name;
    from.round = ++before->second.again;
    const size_t written = i.name.size();
    do i.name += ".r" + std::to_string(out_.instructions.size());
    while (!names_.try_emplace(i.name).second);
    i.text_name.change([&](TextName& text) { text.instruction += i.name.substr(written); });
  }

  bool is_inlined(const Instruction& i) const {
    if (!has(i.opcode, Trait::inlined) || i.called.empty()) return false;
    if (i.opcode != Opcode::fusion) return true;
    return kept_.empty() || !kept_[static_cast<size_t>(i.called.front().computation.value)];
  }

  void say(const std::string& sentence) {
    auto& all = decisions_->assumptions;
    if (std::ranges::find(all, sentence) == all.end()) all.push_back(sentence);
  }

  // How many rounds a loop has that cannot be computed.
  Result<int64_t> rounds_by_decision(const Instruction& loop) {
    if (decisions_ == nullptr) return undecided(loop, "has rounds that depend on data");
    if (const auto known = known_trip_count(loop)) return *known;
    if (decisions_->rounds)
      if (const auto said = decisions_->rounds(loop, false)) return *said;
    say("'" + loop.name + "' has rounds that depend on data: timed with 1, unless --trip-count " + loop.name +
        "=N says how many");
    return 1;
  }

  Result<InstructionId> rounds(const Instruction& loop) {
    const Computation *condition = nullptr, *body = nullptr;
    for (const CalledComputation& c : loop.called)
      (c.key == "condition" ? condition : body) = &program_.computation(c.computation);
    if (condition == nullptr || body == nullptr) return undecided(loop, "has no condition and body");
    InstructionId state = loop.operands[0];
    const int32_t outer = round_;
    const InstructionId outer_turn = turn_;
    const bool in_turn = decisions_ != nullptr && decisions_->rounds_in_turn && talks(program_, *body);
    std::optional<int64_t> count;
    if (decisions_ != nullptr && decisions_->rounds) count = decisions_->rounds(loop, true);
    for (int32_t round = 0;; ++round) {
      std::optional<int64_t> more;
      if (!count) more = known_of(*condition, {state}, false)[static_cast<size_t>(condition->root.value)];
      if (!count && !more) {
        TRY(count, rounds_by_decision(loop));
      }
      if (count ? round >= *count : *more == 0) break;
      if (outer < 0) round_ = round;
      if (in_turn && round > 0) take_turn(loop, state);
      TRY(state, copy(*body, {state}, false));
    }
    round_ = outer;
    turn_ = outer_turn;
    return state;
  }

  // What the last round made is all there before what is written from here on begins.
  void take_turn(const Instruction& loop, InstructionId state) {
    Instruction turn;
    turn.name = loop.name + ".turn";
    turn.opcode = Opcode::optimization_barrier;
    turn.shape = out_.at(state).shape;
    turn.operands = {state};
    turn.provenance = loop.provenance;
    name_again(turn);
    if (round_ > 0) turn.provenance.edit().step = std::max(turn.provenance->step, 0) + round_ - 1;
    turn_ = InstructionId(std::ssize(out_.instructions));
    out_.instructions.push_back(std::move(turn));
    values_.emplace_back();
  }

  Result<InstructionId> branch(const Instruction& i, std::optional<int64_t> decision) {
    TRY(const size_t place, chosen_branch(i, decision));
    return copy(program_.computation(i.called[place].computation), {i.operands[place + 1]}, false);
  }

  // true_computation comes first; an index out of range means the last branch.
  Result<size_t> chosen_branch(const Instruction& i, std::optional<int64_t> decision) {
    if (decisions_ != nullptr && decisions_->branch) {
      TRY(const auto said, decisions_->branch(program_, i));
      if (said) return *said;
    }
    if (!decision) return worst_branch(i);
    const auto last = static_cast<int64_t>(i.called.size()) - 1;
    int64_t chosen = *decision;
    if (i.called.front().key == "true_computation") chosen = *decision != 0 ? 0 : 1;
    return static_cast<size_t>(chosen < 0 || chosen > last ? last : chosen);
  }

  Result<size_t> worst_branch(const Instruction& i) {
    if (decisions_ == nullptr) return undecided(i, "chooses by data");
    size_t worst = 0;
    double most = -1;
    for (size_t b = 0; b < i.called.size(); ++b) {
      const double cost = decisions_->cost(program_.computation(i.called[b].computation));
      if (cost > most) worst = b;
      most = std::max(most, cost);
    }
    say("'" + i.name + "' chooses by data: timed as " +
        program_.computation(i.called[worst].computation).name + ", its branch that takes longest");
    return worst;
  }

  Error too_long() const {
    return too_big(
        "the program is more than " + std::to_string(kMostWrittenOut) + " instructions written out",
        "program " + program_.name);
  }

  static Error undecided(const Instruction& i, const std::string& why) {
    return invalid("'" + std::string(opcode_text(i.opcode)) + "' " + why + ", so it has no fixed time",
                   "%" + i.name);
  }

  const Program& program_;
  DataDecisions* decisions_;  // null: what data decides is refused
  std::vector<bool> kept_;    // by computation: fusions of it stay; empty: none does
  Computation out_;
  std::vector<std::optional<int64_t>> values_;           // by written instruction
  std::map<int32_t, std::vector<InstructionId>> parts_;  // of written tuples
  struct Written {
    Rare<std::string> name;  // for all that are written again
    int32_t again = 0;
  };
  std::map<std::string, Written> names_;
  int32_t copies_ = 0;  // of computations
  int32_t round_ = -1;
  InstructionId turn_;  // what a round waits for, whose instructions stand behind it
};

}  // namespace

bool has_parts(const Program& program) {
  return std::ranges::any_of(program.entry_computation().instructions,
                             [](const Instruction& i) { return has(i.opcode, Trait::part); });
}

namespace {

// What a fused computation does, whatever it and its parts are called.
Computation nameless(Computation c) {
  c.name.clear();
  for (Instruction& i : c.instructions) {
    i.name.clear();
    i.provenance = {};
    i.verbatim = {};
  }
  return c;
}

// Only what the entry calls is kept, each of several equal fused computations once: a compiler writes one for
// each fusion, and those of all layers are alike.
class Kept {
 public:
  explicit Kept(Program& program) : program_(program), used_(program.computations.size(), false) {
    used_[at(program.entry)] = true;
    for (size_t c = used_.size(); c-- > 0;) {  // callees stand before callers
      if (!used_[c]) continue;
      for (const Instruction& i : program.computations[c].instructions)
        for (const CalledComputation& called : i.called) used_[at(called.computation)] = true;
    }
  }

  void keep() && {
    const std::vector<bool> fused = fused_ones();
    std::vector<ComputationId> to(used_.size());
    std::vector<Computation> kept;
    std::unordered_multimap<size_t, std::pair<Computation, ComputationId>> known;
    for (size_t c = 0; c < used_.size(); ++c) {
      if (!used_[c]) continue;
      Computation computation = std::move(program_.computations[c]);
      for (Instruction& i : computation.instructions)
        if (!i.called.empty())
          for (CalledComputation& called : i.called.edit()) called.computation = to[at(called.computation)];
      if (fused[c]) {
        Computation bare = nameless(computation);
        const size_t about = rough(bare);
        const auto [from, end] = known.equal_range(about);
        const auto same = std::find_if(from, end, [&](const auto& k) { return k.second.first == bare; });
        to[c] = same == end ? ComputationId(std::ssize(kept)) : same->second.second;
        if (same != end) continue;
        known.emplace(about, std::pair(std::move(bare), to[c]));
      }
      to[c] = ComputationId(std::ssize(kept));
      kept.push_back(std::move(computation));
    }
    program_.computations = std::move(kept);
    program_.entry = to[at(program_.entry)];
  }

 private:
  static size_t at(ComputationId id) { return static_cast<size_t>(id.value); }

  std::vector<bool> fused_ones() const {
    std::vector<bool> out(used_.size(), false);
    for (const Computation& c : program_.computations)
      for (const Instruction& i : c.instructions)
        for (const CalledComputation& called : i.called)
          out[at(called.computation)] = i.opcode == Opcode::fusion;
    return out;
  }

  // Equal for equal ones.
  static size_t rough(const Computation& c) {
    size_t out = c.instructions.size();
    for (const Instruction& i : c.instructions) {
      out = out * 1000003 + static_cast<size_t>(i.opcode);
      for (const int64_t size : i.shape.dims) out = out * 1000003 + static_cast<size_t>(size);
    }
    return out;
  }

  Program& program_;
  std::vector<bool> used_;
};

}  // namespace

Result<Program> written_out(const Program& program, DataDecisions* decisions) {
  Program out = program;
  for (Computation& c : out.computations) c = without_scalar_fusions(program, c);
  const Program plain = out;
  Writer writer(plain, decisions);
  TRY(out.computations[static_cast<size_t>(out.entry.value)], writer.flat(plain.entry_computation()));
  Kept(out).keep();
  TRY_VOID(verify(out));
  return out;
}

}  // namespace shardscope::inline program
