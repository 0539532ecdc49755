// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/every_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope::kernels {
namespace {

constexpr int64_t kBesideBranches = 2;  // inputs and what is expected, each as large as a machine

// A semaphore of a device; device -1: none.
struct Told {
  int32_t device = -1, semaphore = -1;
  auto operator<=>(const Told&) const = default;
};

// A statement that tells, by itself or by the DMA that it starts.
struct Teller {
  int32_t device = 0;
  size_t statement = 0;
};

class Search {
 public:
  Search(const KernelEntry& entry, const KernelProgram& program, const EveryOptions& options,
         const std::stop_token& stop)
      : program_(program), options_(options), stop_(stop), inputs_(fill_inputs(program, options.input_seed)) {
    if (entry.expected != nullptr) expected_ = entry.expected(program, inputs_);
    for (int32_t d = 0; d < program.device_count(); ++d) {
      const auto& ops = program.devices[static_cast<size_t>(d)];
      for (size_t i = 0; i < ops.size(); ++i) {
        const Op& op = ops[i];
        if (op.kind == OpKind::signal) tellers_[{op.device, op.semaphore}].push_back({d, i});
        if (op.kind != OpKind::start) continue;
        if (op.semaphore >= 0) tellers_[{d, op.semaphore}].push_back({d, i});
        if (op.receive_semaphore >= 0) tellers_[{op.told_device(d), op.receive_semaphore}].push_back({d, i});
      }
    }
    run_.layout = program.layout;
    run_.flops = program.flops;
    run_.needed_flops = program.needed_flops;
  }

  Result<EveryRun> run() {
    pending_.push_back({Machine(program_, &inputs_), {}});
    while (!pending_.empty() && every_) {
      if (stop_.stop_requested()) return cancelled();
      TRY_VOID(check_machines(program_, std::ssize(pending_) + kBesideBranches));
      Branch branch = std::move(pending_.back());
      pending_.pop_back();
      follow(std::move(branch));
    }
    std::stable_sort(run_.findings.begin(), run_.findings.end(),
                     [](const KernelFindingCount& a, const KernelFindingCount& b) {
                       return a.finding.kind < b.finding.kind;
                     });
    return EveryRun{std::move(run_), every_};
  }

 private:
  struct Branch {
    Machine machine;
    std::vector<Action> asleep;  // tried by a branch before: what they lead to is known
  };

  static const Op& statement(const Machine& machine, int32_t device) {
    return machine.state().next_op(device);
  }

  static Told told_by(const Machine& machine, const Action& action) {
    if (action.kind == Action::Kind::device) {
      const Op& op = statement(machine, action.index);
      return op.kind == OpKind::signal ? Told{op.device, op.semaphore} : Told{};
    }
    const MachineState::Dma& dma = machine.state().dma(action.index);
    const bool reads = action.kind == Action::Kind::read;
    const int32_t semaphore = reads ? dma.op.semaphore : dma.op.receive_semaphore;
    return semaphore < 0 ? Told{} : Told{reads ? dma.source : dma.op.told_device(dma.source), semaphore};
  }

  static bool meet(const Machine& machine, const Action& a, const Action& b) {
    const bool device = a.kind == Action::Kind::device;
    if (device == (b.kind == Action::Kind::device) && a.index == b.index) return true;
    const Told told = told_by(machine, a);
    return told.device >= 0 && told == told_by(machine, b);
  }

  // Whatever happens before it, it can be done first: nothing that is still to come meets it.
  bool comes_first(const Machine& machine, const Action& action) const {
    const Told told = told_by(machine, action);
    if (told.device < 0) return true;
    const MachineState& m = machine.state();
    for (const int32_t number : m.in_flight) {
      const MachineState::Dma& dma = m.dma(number);
      const bool self = action.kind != Action::Kind::device && action.index == number;
      const bool send = !dma.read && Told{dma.source, dma.op.semaphore} == told;
      const bool receive = Told{dma.op.told_device(dma.source), dma.op.receive_semaphore} == told;
      if (self ? (send && receive) : (send || receive)) return false;
    }
    const auto known = tellers_.find(told);
    if (known == tellers_.end()) return true;
    for (const Teller& teller : known->second) {
      if (teller.statement < m.device(teller.device).next) continue;
      const bool own = action.kind == Action::Kind::device && action.index == teller.device;
      const bool waits = teller.device == told.device && m.blocked(teller.device) &&
                         m.next_op(teller.device).semaphore == told.semaphore;
      if (!own && !waits) return false;
    }
    return true;
  }

  // Leaving changes nothing for the others, so it comes last: until then every copy was started that could
  // be.
  std::vector<Action> moves(const Machine& machine) const {
    std::vector<Action> out;
    machine.enabled(out);
    const auto leaves = [&](const Action& action) {
      return action.kind == Action::Kind::device && statement(machine, action.index).kind == OpKind::exit;
    };
    if (!std::ranges::all_of(out, leaves)) std::erase_if(out, leaves);
    return out;
  }

  void follow(Branch branch) {
    for (;;) {
      const std::vector<Action> enabled = moves(branch.machine);
      if (enabled.empty()) return end(branch.machine);
      const auto is_asleep = [&](const Action& action) {
        return std::ranges::find(branch.asleep, action) != branch.asleep.end();
      };
      const auto first = std::ranges::find_if(
          enabled, [&](const Action& action) { return comes_first(branch.machine, action); });
      if (first == enabled.end()) return fork(branch, enabled);
      if (is_asleep(*first)) return;
      const Action action = *first;
      std::erase_if(branch.asleep, [&](const Action& other) { return meet(branch.machine, other, action); });
      branch.machine.apply(action);
    }
  }

  void fork(const Branch& branch, const std::vector<Action>& enabled) {
    std::vector<Action> asleep = branch.asleep;
    std::vector<Branch> made;
    for (const Action& action : enabled) {
      if (std::ranges::find(asleep, action) != asleep.end()) continue;
      Branch next{branch.machine, asleep};
      std::erase_if(next.asleep, [&](const Action& other) { return meet(branch.machine, other, action); });
      next.machine.apply(action);
      made.push_back(std::move(next));
      asleep.push_back(action);
    }
    for (size_t i = made.size(); i-- > 0;) pending_.push_back(std::move(made[i]));
  }

  void end(Machine& machine) {
    if (run_.schedules == options_.most) {
      every_ = false;
      return;
    }
    const KernelData* expected = expected_.devices.empty() ? nullptr : &expected_;
    count_outcome(run_, ended(program_, machine, expected), static_cast<uint64_t>(run_.schedules));
    ++run_.schedules;
  }

  const KernelProgram& program_;
  const EveryOptions& options_;
  const std::stop_token& stop_;
  KernelData inputs_, expected_;
  std::map<Told, std::vector<Teller>> tellers_;
  std::vector<Branch> pending_;
  KernelRun run_;
  bool every_ = true;
};

}  // namespace

Result<EveryRun> explore_every(const KernelEntry& entry, const KernelProgram& program,
                               const EveryOptions& options, const std::stop_token& stop) {
  TRY_VOID(check_machines(program, 1 + kBesideBranches));
  return Search(entry, program, options, stop).run();
}

}  // namespace shardscope::kernels
