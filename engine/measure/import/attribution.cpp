// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/attribution.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/measure/import/call_path.h"

namespace shardscope::inline measure {
namespace {

// What is to be known of an operation of the trace for each of its events.
struct Known {
  const ModuleIndex* module = nullptr;
  bool named = false;  // the profile names its instruction
  bool prepared = false;
  std::optional<ModuleCalls::Candidates> candidates;  // sought when they are asked for
};

class Attribution {
 public:
  Attribution(Modules& modules, std::vector<ProfiledOperation>& operations,
              std::vector<MeasuredEvent>& events)
      : operations_(operations), events_(events) {
    for (const ProfiledOperation& o : operations) {
      Known known;
      known.module = modules.of(o);
      // What is called as its kernel is has no other name.
      known.named = known.module != nullptr && !o.named_by_kernel() && known.module->has(o.op);
      known.prepared = o.is_transfer();
      known_.push_back(std::move(known));
    }
  }

  Result<void> give_back(const std::stop_token& stop) {
    std::map<std::pair<const ModuleIndex*, int16_t>, std::vector<size_t>> events;  // by module and device
    std::map<const ModuleIndex*, bool> wanted;
    for (size_t e = 0; e < events_.size(); ++e) {
      const Known& known = known_[static_cast<size_t>(events_[e].operation)];
      if (known.module == nullptr) continue;
      events[{known.module, events_[e].device}].push_back(e);
      wanted[known.module] |= !known.named;
    }
    for (const auto& [of, places] : events)
      if (wanted[of.first]) TRY_VOID(give_back(*of.first, places, stop));
    drop_unused();
    return {};
  }

 private:
  Result<void> give_back(const ModuleIndex& module, const std::vector<size_t>& places,
                         const std::stop_token& stop) {
    std::vector<RanKernel> kernels;
    const std::string* last = nullptr;
    for (const size_t e : places) {
      const auto o = static_cast<size_t>(events_[e].operation);
      const std::string& kernel = operations_[o].ran();
      kernels.push_back(
          {&candidates(module, o), known_[o].named, known_[o].prepared, last != nullptr && *last == kernel});
      last = &kernel;
    }
    TRY(const std::vector<KernelPlace> found, call_path(module.calls(), kernels, stop));
    for (size_t k = 0; k < places.size(); ++k) {
      MeasuredEvent& event = events_[places[k]];
      if (found[k].call >= 0 && !kernels[k].given) event.operation = attributed(module, event, found[k]);
    }
    return {};
  }

  const ModuleCalls::Candidates& candidates(const ModuleIndex& module, size_t operation) {
    Known& known = known_[operation];
    const ProfiledOperation& of = operations_[operation];
    if (!known.candidates)
      known.candidates = known.named ? ModuleCalls::Candidates{module.calls().of_instruction(of.op), true}
                                     : module.calls().candidates(of.ran());
    return *known.candidates;
  }

  // The operation that this one is on this call.
  int32_t attributed(const ModuleIndex& module, const MeasuredEvent& event, const KernelPlace& place) {
    const auto [found, is_new] = made_.try_emplace({event.operation, place.call, place.sure},
                                                   static_cast<int32_t>(operations_.size()));
    if (!is_new) return found->second;
    ProfiledOperation made = operations_[static_cast<size_t>(event.operation)];
    const MeasuredKind kind = made.kind;
    made.kernel = made.ran();
    made.op = module.calls().calls()[static_cast<size_t>(place.call)].instruction;
    module.join(made);
    if (made.kind == MeasuredKind::other) made.kind = kind;
    made.sure = place.sure;
    operations_.push_back(std::move(made));
    return found->second;
  }

  // What all events were given back of is no operation of its own.
  void drop_unused() {
    if (made_.empty()) return;
    std::vector<bool> gone(operations_.size(), false);
    for (const auto& [from, made] : made_) gone[static_cast<size_t>(std::get<0>(from))] = true;
    for (const MeasuredEvent& e : events_) gone[static_cast<size_t>(e.operation)] = false;
    std::vector<int32_t> place(gone.size(), 0);
    std::vector<ProfiledOperation> left;
    for (size_t o = 0; o < gone.size(); ++o) {
      place[o] = static_cast<int32_t>(left.size());
      if (!gone[o]) left.push_back(std::move(operations_[o]));
    }
    operations_ = std::move(left);
    for (MeasuredEvent& e : events_) e.operation = place[static_cast<size_t>(e.operation)];
  }

  std::vector<ProfiledOperation>& operations_;
  std::vector<MeasuredEvent>& events_;
  std::vector<Known> known_;                                      // by operation as it was read
  std::map<std::tuple<int32_t, int32_t, double>, int32_t> made_;  // by operation, call and how sure
};

}  // namespace

Result<void> attribute_kernels(Modules& modules, std::vector<ProfiledOperation>& operations,
                               std::vector<MeasuredEvent>& events, const std::stop_token& stop) {
  if (modules.empty()) return {};
  return Attribution(modules, operations, events).give_back(stop);
}

void mark_parts(std::vector<ProfiledOperation>& operations, const std::vector<MeasuredEvent>& events) {
  std::vector<Picoseconds> times(operations.size());
  for (const MeasuredEvent& e : events) times[static_cast<size_t>(e.operation)] += e.duration();
  using Call = std::tuple<std::string_view, int64_t, std::string_view>;  // module, program, instruction
  struct Weight {
    bool computes = false;
    Picoseconds time = 0;
    auto operator<=>(const Weight&) const = default;
  };
  std::map<Call, std::map<std::string_view, Weight>> kernels;
  const auto call_of = [](const ProfiledOperation& o) { return Call(o.module, o.program, o.op); };
  const auto is_of_call = [](const ProfiledOperation& o) { return !o.kernel.empty() && o.matched; };
  for (size_t o = 0; o < times.size(); ++o) {
    const ProfiledOperation& of = operations[o];
    if (!is_of_call(of)) continue;
    Weight& weight = kernels[call_of(of)][of.kernel];
    weight.computes = !of.is_transfer();
    weight.time += times[o];
  }
  for (ProfiledOperation& of : operations) {
    if (!is_of_call(of)) continue;
    const auto& all = kernels[call_of(of)];
    const auto main = std::ranges::max_element(all, {}, [](const auto& each) { return each.second; });
    of.part = main->first != of.kernel;
  }
}

}  // namespace shardscope::inline measure
