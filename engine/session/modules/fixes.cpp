// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/fixes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/partition/entry/partition.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/atlas/program_costs.h"
#include "engine/session/routes/instead.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostTargets = 24;      // collectives that edits are looked for against
constexpr int64_t kMostUnasked = 3'000;  // instructions of a module that is tried unasked

// What a collective is there for: with an edit it is gone when no other says the same.
using Purpose = std::tuple<std::string, std::string, Opcode>;  // instruction, operand, what is done

std::map<std::string_view, Opcode> opcodes_of(const Program& program) {
  std::map<std::string_view, Opcode> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) out.emplace(i.name, i.opcode);
  return out;
}

std::map<Purpose, std::vector<std::string>> purposes_of(const Partitioned& made) {
  const auto opcodes = opcodes_of(*made.program);
  std::map<Purpose, std::vector<std::string>> out;
  for (const CollectiveOrigin& row : made.collectives)
    if (!row.instruction.empty() && opcodes.contains(row.name))
      out[{row.instruction, row.operand, opcodes.at(row.name)}].push_back(row.name);
  return out;
}

double bytes_of(const Partitioned& made) {
  double out = 0;
  for (const CollectiveOrigin& row : made.collectives) out += row.bytes_sent;
  return out;
}

FixPlace place_of(const Program& module, const ShardingEdit& edit) {
  if (!edit.reader.empty()) return FixPlace::constraint;
  const Computation& entry = module.entry_computation();
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions) {
      if (i.name != edit.instruction) continue;
      if (i.parameter_number >= 0 && &c == &entry) return FixPlace::argument;
      const bool is_root = &c == &entry && &i == &entry.root_instruction();
      if (is_root || custom_call_target(i) == kFuncResultSharding) return FixPlace::result;
      if (custom_call_target(i) == "Sharding") return FixPlace::annotation;
    }
  return FixPlace::constraint;
}

int64_t shards_of(const HloSharding& sharding) {
  int64_t out = 1;
  for (size_t d = 0; d < sharding.data_rank(); ++d) out *= sharding.tiles.dims[d];
  return out;
}

std::string changed_text(std::string then, double from, double to, std::string (*as_text)(double)) {
  if (to == from) return say("{} as now", then);
  return to < from ? say("{} ({} less)", then, as_text(from - to))
                   : say("{} ({} more)", then, as_text(to - from));
}

class FixFinder {
 public:
  FixFinder(const Partitioned& made, const PartitionOptions& how, const Hardware& hardware,
            const FixLimits& limits)
      : made_(made),
        how_(how),
        hardware_(hardware),
        limits_(limits),
        module_(*first_stage(made).program),
        costs_(made.program->mesh, hardware),
        until_(std::chrono::steady_clock::now() + limits.time) {
    how_.devices = made.program->mesh.device_count();
    how_.progress = nullptr;
  }

  Result<Fixes> find() {
    Fixes out;
    if (limits_.tries == 0) return out;
    const auto now = cost_of(made_);
    if (!now.ok()) return now.error().kind == ErrorKind::cancelled ? Result<Fixes>(now.error()) : out;
    now_ = *now;
    purposes_ = purposes_of(made_);
    TRY(const std::vector<ShardingEdit> edits, all_edits());
    std::vector<Fix> found;
    for (const ShardingEdit& edit : edits) {
      if (how_.stop.stop_requested()) return cancelled();
      if (out.tried >= limits_.tries || std::chrono::steady_clock::now() >= until_) break;
      ++out.tried;
      TRY(auto fix, tried(edit));
      if (fix) found.push_back(*std::move(fix));
    }
    out.left = std::ssize(edits) - out.tried;
    std::ranges::stable_sort(found, {}, [](const Fix& f) {
      return std::tuple(f.then.time, f.then.bytes_sent, f.then.peak_bytes);
    });
    std::set<std::string> removed;
    for (Fix& fix : found) {
      if (std::ranges::any_of(fix.removes, [&](const auto& name) { return removed.contains(name); }))
        continue;
      removed.insert(fix.removes.begin(), fix.removes.end());
      out.fixes.push_back(std::move(fix));
    }
    TRY(out.together, cost_together(out.fixes));
    return out;
  }

 private:
  // Full copies first, then the largest; of those for one purpose the first.
  std::vector<const CollectiveOrigin*> targets() const {
    std::vector<const CollectiveOrigin*> out;
    std::set<std::pair<std::string, std::string>> known;
    for (const CollectiveOrigin& row : made_.collectives)
      if (!row.instruction.empty() && known.emplace(row.instruction, row.operand).second) out.push_back(&row);
    const auto is_full_copy = [&](const CollectiveOrigin* row) {
      return std::ranges::count(made_.rematerializations, row->instruction, &Rematerialization::instruction) >
             0;
    };
    std::ranges::stable_sort(out, {}, [&](const CollectiveOrigin* row) {
      return std::pair(!is_full_copy(row), -row->bytes_sent);
    });
    if (limits_.full_copies_only) std::erase_if(out, [&](const auto* row) { return !is_full_copy(row); });
    out.resize(std::min(out.size(), kMostTargets));
    return out;
  }

  // Where a cheaper way of a collective's array goes by, and where a full copy can be avoided.
  std::vector<HloSharding> stops_of(const CollectiveOrigin& row) const {
    std::vector<HloSharding> out;
    for (const Rematerialization& r : made_.rematerializations)
      if (r.instruction == row.instruction && r.stop) out.push_back(*r.stop);
    const auto known = instead_.find(row.name);
    if (known == instead_.end()) return out;
    for (const PricedRoute& route : known->second.routes) {
      if (route.time >= known->second.time || route.steps.size() < 2) continue;
      const auto spec = PartitionSpec::parse(route.steps[0].sharding);
      const auto named =
          spec.ok() ? NamedSharding::make(made_.program->mesh, *spec) : Result<NamedSharding>(spec.error());
      if (named.ok()) out.push_back(HloSharding::from(*named, spec->dims.size()));
    }
    return out;
  }

  // In turn the likeliest of each target, each once.
  Result<std::vector<ShardingEdit>> all_edits() {
    TRY(instead_, instead_of(made_, hardware_, how_.stop));
    std::vector<std::vector<ShardingEdit>> by_target;
    for (const CollectiveOrigin* row : targets())
      by_target.push_back(edits_against(made_, *row, stops_of(*row)));
    std::vector<ShardingEdit> out;
    std::set<std::tuple<std::string, std::string, std::string>> known;
    for (size_t k = 0, more = 1; more > 0; ++k) {
      more = 0;
      for (const auto& edits : by_target) {
        if (k >= edits.size()) continue;
        ++more;
        const ShardingEdit& edit = edits[k];
        if (keeps_shards(edit) && known.emplace(edit.instruction, edit.reader, edit.sharding).second)
          out.push_back(edit);
      }
    }
    return out;
  }

  // An argument that every device has more of is no gain of this module: others pay for it.
  bool keeps_shards(const ShardingEdit& edit) const {
    const FixPlace place = place_of(module_, edit);
    if (place != FixPlace::argument && place != FixPlace::result) return true;
    const auto now = sharding_of(made_, edit.instruction);
    const auto then = HloSharding::parse(edit.sharding);
    return !now || (then.ok() && shards_of(*then) >= shards_of(*now));
  }

  // Of what is returned: the value's that an annotation of results stands behind.
  std::string result_name(const ShardingEdit& edit) const {
    const Computation& entry = module_.entry_computation();
    for (const Instruction& i : entry.instructions)
      if (i.name == edit.instruction && custom_call_target(i) == kFuncResultSharding)
        return display_name(first_stage(made_), entry.at(i.operands[0]).name);
    return edit.display_name;
  }

  Result<FixCost> cost_of(const Partitioned& made) {
    TRY(const AtlasWay cost, costs_.of(*made.program, how_.stop));
    return FixCost{cost.time, bytes_of(made), cost.peak_bytes, std::ssize(made.collectives)};
  }

  Result<std::optional<FixCost>> cost_together(const std::vector<Fix>& fixes) {
    if (fixes.size() < 2) return std::optional<FixCost>();
    Program all = module_;
    for (const Fix& fix : fixes) all = with_edit(all, fix.edit);
    const auto made = partition(all, how_);
    if (!made.ok() && made.error().kind == ErrorKind::cancelled) return made.error();
    if (!made.ok()) return std::optional<FixCost>();
    const auto cost = cost_of(*made);
    if (!cost.ok() && cost.error().kind == ErrorKind::cancelled) return cost.error();
    const FixCost& best = fixes.front().then;
    if (!cost.ok() || cost->time >= best.time || cost->bytes_sent > best.bytes_sent)
      return std::optional<FixCost>();
    return std::optional<FixCost>(*cost);
  }

  // None: it removes nothing, or what it removes is not worth it.
  Result<std::optional<Fix>> tried(const ShardingEdit& edit) {
    const auto made = partition(with_edit(module_, edit), how_);
    if (!made.ok() && made.error().kind == ErrorKind::cancelled) return made.error();
    if (!made.ok() || !(made->program->mesh == made_.program->mesh) || bytes_of(*made) > bytes_of(made_))
      return std::optional<Fix>();
    Fix out;
    out.edit = edit;
    const auto purposes = purposes_of(*made);
    for (const auto& [purpose, names] : purposes_)
      if (!purposes.contains(purpose)) out.removes.insert(out.removes.end(), names.begin(), names.end());
    if (out.removes.empty()) return std::optional<Fix>();
    const auto then = cost_of(*made);
    if (!then.ok() && then.error().kind == ErrorKind::cancelled) return then.error();
    if (!then.ok() || !is_better(*then)) return std::optional<Fix>();
    out.now = now_;
    out.then = *then;
    out.place = place_of(module_, edit);
    if (!edit.reader.empty()) out.reader = display_name(first_stage(made_), edit.reader);
    if (out.place == FixPlace::result) out.edit.display_name = result_name(edit);
    if (const Instruction* array = first_stage(made_).program.find(edit.instruction))
      out.source_line = source_line(module_, *array);
    return std::optional<Fix>(std::move(out));
  }

  bool is_better(const FixCost& then) const {
    if (then.time > now_.time || then.bytes_sent > now_.bytes_sent) return false;
    if (then.time == now_.time && then.bytes_sent == now_.bytes_sent) return false;
    const double memory = hardware_.memory.hbm_bytes.value_or(0);
    const auto fits = [&](int64_t bytes) { return memory == 0 || static_cast<double>(bytes) <= memory; };
    return fits(then.peak_bytes) || !fits(now_.peak_bytes);
  }

  const Partitioned& made_;
  PartitionOptions how_;
  const Hardware& hardware_;
  FixLimits limits_;
  const Program& module_;
  ProgramCosts costs_;
  std::chrono::steady_clock::time_point until_;
  FixCost now_;
  std::map<Purpose, std::vector<std::string>> purposes_;
  std::map<std::string, Instead> instead_;
};

}  // namespace

const char* name(FixPlace place) {
  switch (place) {
    case FixPlace::argument:
      return "argument";
    case FixPlace::result:
      return "result";
    case FixPlace::annotation:
      return "annotation";
    case FixPlace::constraint:
      return "constraint";
  }
  return "";
}

FixLimits fix_limits(const Program& module) {
  const int64_t size = std::max(1, module.instruction_count());
  return {std::clamp<int64_t>(400'000 / size, 4, 96), std::chrono::seconds(20)};
}

FixLimits unasked_fix_limits(const Program& module) {
  const int64_t size = std::max(1, module.instruction_count());
  return {size > kMostUnasked ? 0 : std::min<int64_t>(20'000 / size, 12), std::chrono::milliseconds(500),
          true};
}

std::string Fix::words() const {
  std::string what;
  switch (place) {
    case FixPlace::argument:
      what = say("argument {} as {}", edit.display_name, edit.spec);
      break;
    case FixPlace::result:
      what = say("result {} as {}", edit.display_name, edit.spec);
      break;
    case FixPlace::annotation:
      what = say("the annotation {} as {}", edit.display_name, edit.spec);
      break;
    case FixPlace::constraint:
      what = say("with_sharding_constraint({}, {})", edit.display_name, edit.spec);
      break;
  }
  if (!reader.empty()) what = say("{} only for {}", what, reader);
  if (!source_line.empty()) what = say("{} at {}", what, source_line);
  const std::string time = changed_text(format_picoseconds(then.time), to_seconds(now.time),
                                        to_seconds(then.time), format_seconds);
  const std::string sent =
      changed_text(format_bytes(then.bytes_sent), now.bytes_sent, then.bytes_sent, format_bytes);
  const std::string peak =
      changed_text(format_bytes(static_cast<double>(then.peak_bytes)), static_cast<double>(now.peak_bytes),
                   static_cast<double>(then.peak_bytes), format_bytes);
  return say("{}: no {}; time {}; sent by a device {}; memory {}; {} of {}", what, join(removes, ", "), time,
             sent, peak, say_count("{} collective instead", "{} collectives instead", then.collectives),
             now.collectives);
}

Result<Fixes> fixes_of(const Partitioned& made, const PartitionOptions& how, const Hardware& hardware,
                       const FixLimits& limits) {
  return FixFinder(made, how, hardware, limits).find();
}

}  // namespace shardscope::inline session
