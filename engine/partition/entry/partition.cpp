// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/partition.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/partition/entry/collective_rows.h"
#include "engine/partition/entry/padding.h"
#include "engine/partition/entry/sum_notes.h"
#include "engine/partition/entry/whole_calls.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/reshard/name_table.h"
#include "engine/partition/reshard/rematerialization.h"
#include "engine/partition/reshard/spmd_log.h"
#include "engine/partition/rules/computation.h"
#include "engine/partition/shardy/explicit_reshards.h"
#include "engine/partition/shardy/padded.h"
#include "engine/partition/types/all_devices.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline partitioner {
namespace {

// An instruction that is gone, and the equal one that stays.
using Merged = std::unordered_map<std::string, std::string>;

constexpr size_t kBetweenLooks = 4096;  // instructions between two looks at the stop token

// "{...}": which numbers stand there was left out of the text.
bool is_elided(const Instruction& i) {
  return i.literal->find("...") != std::string::npos;
}

// Merges instructions that say the same of the same operands, and drops what nobody reads.
Result<void> clean_up(const Program& program, Computation& c, const std::stop_token& stop, Merged& merged) {
  std::unordered_multimap<size_t, InstructionId> known;  // by a hash of what they say, which is long
  known.reserve(c.instructions.size());
  std::vector<InstructionId> same(c.instructions.size());
  const auto said_by = [&](InstructionId id) {
    const std::string text = print_instruction(program, c, id);
    return text.substr(text.find(" = "));
  };
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    if (k % kBetweenLooks == 0 && stop.stop_requested()) return cancelled();
    Instruction& i = c.instructions[k];
    for (InstructionId& operand : i.operands) operand = same[static_cast<size_t>(operand.value)];
    same[k] = InstructionId(static_cast<int64_t>(k));
    const bool of_its_own = is_collective(i.opcode) || i.opcode == Opcode::parameter || is_elided(i);
    if (of_its_own || !i.called.empty()) continue;
    const std::string text = said_by(same[k]);
    const size_t hash = std::hash<std::string>()(text);
    const auto [first, last] = known.equal_range(hash);
    const auto twin =
        std::find_if(first, last, [&](const auto& other) { return said_by(other.second) == text; });
    if (twin == last) {
      known.emplace(hash, same[k]);
      continue;
    }
    same[k] = twin->second;
    merged[i.name] = c.at(same[k]).name;
  }
  c.root = same[static_cast<size_t>(c.root.value)];
  remove_dead(c);
  return {};
}

// The instruction that stands in the program for one that was written.
const std::string& kept_name(const Merged& merged, const std::string& written) {
  const auto kept = merged.find(written);
  return kept == merged.end() ? written : kept->second;
}

// Of all instructions, in program order.
std::vector<std::string> instruction_names(const Program& program) {
  std::vector<std::string> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) out.push_back(i.name);
  return out;
}

struct Written {
  const std::vector<std::string>&names, &sources;  // of every instruction, and what it was written for
  const RenamedInstructions& renamed;
  const std::stop_token& stop;
};
// Merges what is equal. What nobody reads is gone then.
Result<void> keep_what_is_read(const Written& written, Program program, Partitioned& out) {
  Merged merged;
  for (Computation& c : program.computations) TRY_VOID(clean_up(program, c, written.stop, merged));
  const auto made_program = std::make_shared<Program>(std::move(program));
  out.program = SharedProgram(made_program);
  if (written.stop.stop_requested()) return cancelled();
  std::vector<StageLink> links;
  for (size_t k = 0; k < written.names.size(); ++k) {
    const auto made = out.program.number_of(kept_name(merged, written.names[k]));
    const auto source = out.before->program.number_of(written_name(written.renamed, written.sources[k]));
    if (made && source) links.push_back({*made, *source});
  }
  out.links = StageLinks(std::move(links));
  take_text_names(out.before->program, out.links, *made_program);
  return {};
}

void describe_arrays(const Computation& entry, Partitioned& out) {
  for (const Instruction* p : parameters_by_number(entry)) {
    const std::vector<Shape> leaves = leaves_of(p->shape);
    for (size_t k = 0; k < leaves.size(); ++k) {
      out.parameter_shapes.push_back(leaves[k]);
      out.parameter_names.push_back(p->shape.is_tuple ? fmt::format("{}{{{}}}", p->name, k) : p->name);
    }
  }
  out.result_shapes = leaves_of(entry.root_instruction().shape);
}

// Copies in front of the regions keep the shardings that their operands had; nothing else outside has one.
void whole_outside(const std::vector<bool>& in_region, Computation& c) {
  Computation out;
  out.name = c.name;
  std::vector<InstructionId> to(c.instructions.size());
  const auto add = [&](Instruction i) {
    out.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out.instructions.size()) - 1);
  };
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    Instruction i = c.instructions[k];
    for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
    const auto before =
        static_cast<size_t>(c.instructions[k].operands.empty() ? 0 : c.instructions[k].operands[0].value);
    if (enters_region(i) && !in_region[before]) {
      Instruction copy;
      copy.name = i.name + ".operand";
      copy.opcode = Opcode::copy;
      copy.shape = c.instructions[before].shape;
      copy.operands = i.operands;
      copy.sharding = c.instructions[before].sharding;
      if (const std::string* text = verbatim_attribute(c.instructions[before], "sharding"))
        copy.verbatim.edit().push_back({"sharding", *text});
      i.operands = {add(std::move(copy))};
    }
    if (!in_region[k] && !leaves_region(i)) {
      i.sharding.reset();
      i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
        std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "sharding"; });
      });
    }
    to[k] = add(std::move(i));
  }
  out.root = to[static_cast<size_t>(c.root.value)];
  c = std::move(out);
}

// A stage as partitioning reads it: the names that instructions got there, see RenamedInstructions.
struct Prepared {
  const StagePtr& before;
  const Program& source;
  const RenamedInstructions& renamed;
  int64_t devices = 1;
  const FittedModule* fitted = nullptr;
  bool spread_by_shardy = false;
};

Result<Partitioned> partition_prepared(const Prepared& prepared, const PartitionOptions& options) {
  const auto& [before, source, renamed, devices, fitted, spread_by_shardy] = prepared;
  const Program& module = *first_stage(*before).program;
  Partitioned out;
  out.kind = StageKind::partitioned;
  out.before = before;
  out.log.before = largest_arrays(source, options.dialect, false);
  out.log.before_replicated = largest_arrays(source, options.dialect, true);
  out.log.steps.push_back(fmt::format("Partitioning computation {} for 1 replicas and {} partitions",
                                      source.entry_computation().name, devices));
  SpmdWriter writer(devices, options.dialect);
  Resharder resharder(writer, options.replica_parts);
  SpmdEntry entry;
  TRY(const InstructionId root,
      write_entry({source, options, writer, resharder, fitted, spread_by_shardy}, entry));
  out.log.steps.insert(out.log.steps.end(), resharder.steps().begin(), resharder.steps().end());
  out.log.during = std::move(entry.visits);
  for (const auto& leaves : entry.parameters)
    out.parameters.insert(out.parameters.end(), leaves.begin(), leaves.end());
  out.results = std::move(entry.results);

  Program program;
  program.name = module.name;
  program.source_tables = module.source_tables;
  for (const VerbatimAttribute& a : module.verbatim)
    if (a.key == "input_output_alias" || a.key == "buffer_donor") program.verbatim.push_back(a);
  program.mesh = spmd_mesh(source, devices);
  if (auto named = user_mesh(source, devices); named && !named->note.empty())
    out.notes.push_back(std::move(named->note));
  program.computations = std::move(writer.computations());
  program.computations.push_back(writer.close_page({}, source.entry_computation().name, root));
  program.entry = ComputationId(static_cast<int64_t>(program.computations.size()) - 1);
  TRY_VOID(fuse_whole_calls(source, program, options.stop));
  if (options.stop.stop_requested()) return cancelled();
  const std::vector<std::string> sources = instruction_names(program);
  give_names(module, program);
  const std::vector<std::string> written = instruction_names(program);
  if (options.stop.stop_requested()) return cancelled();
  const NotesByName notes = notes_by_name(program, resharder.notes());
  for (const Resharder::FullCopy& copy : resharder.full_copies())
    out.rematerializations.push_back(rematerialization(copy, options.dialect));
  out.log.after = largest_arrays(program, options.dialect, false);
  TRY_VOID(keep_what_is_read({written, sources, renamed, options.stop}, std::move(program), out));
  const ModuleNames names(*before, renamed);
  out.collectives = collective_rows(source, names, out, notes);
  std::ranges::move(sum_notes(source, out), std::back_inserter(out.notes));
  if (options.stop.stop_requested()) return cancelled();
  out.padding = padding_sentences(source, names);
  describe_arrays(source.entry_computation(), out);
  TRY_VOID(verify(*out.program));
  return out;
}

}  // namespace

std::vector<std::string> Partitioned::warnings() const {
  std::vector<std::string> out;
  for (const Rematerialization& r : rematerializations) out.push_back(r.message + ": " + r.suggestion);
  for (const std::string& sentence : padding) out.push_back("uneven shards are padded: " + sentence);
  return out;
}

const char* name(SpmdDialect dialect) {
  return dialect == SpmdDialect::tpu2022 ? "tpu2022" : "current";
}

Result<SpmdDialect> parse_spmd_dialect(std::string_view text) {
  if (text == "tpu2022") return SpmdDialect::tpu2022;
  if (text == "current") return SpmdDialect::current;
  return invalid("unknown dialect '" + std::string(text) + "', expected tpu2022 or current", "--dialect");
}

namespace {

Result<void> require_whole(const Program& module) {
  if (!is_scheduled(module) || module.mesh.device_count() == 1) return {};
  return invalid("a compiler has scheduled the module for each device, so it is partitioned already",
                 "module " + module.name, "run it as it is: shardscope hlo run");
}

}  // namespace

Result<int64_t> partition_devices(const Program& module, const PartitionOptions& options) {
  int64_t named = 0;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      if (!has_sharding(i)) continue;
      TRY(const auto shardings, leaf_shardings(i));
      for (const HloSharding& s : shardings)
        named = std::max(named, s.kind == HloSharding::Kind::maximal ? s.device + 1 : s.device_count());
    }
  }
  if (options.devices) {
    if (*options.devices < 1 || *options.devices > Mesh::kMaxDevices)
      return invalid(fmt::format("{} devices, expected 1 to 2^20", *options.devices), "--devices");
    // What its shardings and regions say is of these devices and no others.
    if (const int64_t own = module.mesh.device_count(); own > 1 && *options.devices != own)
      return invalid(fmt::format("the module is made for {} devices, got {}", own, *options.devices),
                     "module " + module.name, "leave --devices and --mesh out, or give as many");
    return *options.devices;
  }
  return std::max({named, module.mesh.device_count(), int64_t{1}});
}

Result<Program> unannotated(const Program& module) {
  TRY(Program out, prepare_for_spmd(module, SpmdDialect::current));
  for (Computation& c : out.computations)
    for (Instruction& i : c.instructions) i.sharding.reset();
  return out;
}

std::shared_ptr<const Partitioned> partitioned_stage(const StagePtr& last) {
  return std::static_pointer_cast<const Partitioned>(stage_of(last, StageKind::partitioned));
}

namespace {

Result<Partitioned> partition_spread(const std::shared_ptr<const PropagatedModule>& spread,
                                     const PartitionOptions& options) {
  RenamedInstructions renamed;
  TRY(const auto source, prepared_spread(*spread, options.dialect, renamed));
  const bool by_shardy = spread->by == Propagation::shardy;
  TRY(Partitioned out,
      partition_prepared({spread, *source, renamed, spread->devices, nullptr, by_shardy}, options));
  out.notes.insert(out.notes.begin(), spread->notes.begin(), spread->notes.end());
  return out;
}

// Stage by stage as Shardy's partitioner.
Result<Partitioned> partition_fitted(const std::shared_ptr<const PropagatedModule>& spread,
                                     const PartitionOptions& options) {
  TRY(FittedModule resharded, insert_reshards(spread, options.stop));
  TRY(FittedModule collectives, reshards_to_collectives(shared_stage(std::move(resharded)), options.stop));
  const auto fitted = shared_stage(std::move(collectives));
  TRY(PaddedModule padded, pad_for_divisibility(fitted, options.stop));
  const auto last = padded.module ? shared_stage(*std::move(padded.module)) : fitted;
  const RenamedInstructions renamed;
  TRY(Partitioned out,
      partition_prepared({last, *last->program, renamed, last->devices, last.get()}, options));
  if (padded.module) out.padding = padding_sentences(*fitted->program, ModuleNames(*fitted, renamed));
  if (!padded.why.empty()) out.notes.push_back("arrays are padded by XLA's rules: " + padded.why);
  out.notes.insert(out.notes.begin(), spread->notes.begin(), spread->notes.end());
  return out;
}

}  // namespace

Result<Partitioned> partition(const StagePtr& before, const PartitionOptions& options) {
  TRY_VOID(require_whole(*before->program));
  if (options.partitioner == Partitioner::shardy) {
    auto spread = propagated_stage(before);
    if (spread == nullptr) {
      TRY(PropagatedModule made, propagate(before, propagation_options(options)));
      spread = shared_stage(std::move(made));
    }
    return partition_fitted(spread, options);
  }
  if (const auto spread = propagated_stage(before)) return partition_spread(spread, options);
  if (options.propagate) {
    TRY(PropagatedModule spread, propagate(before, propagation_options(options)));
    return partition_spread(shared_stage(std::move(spread)), options);
  }
  TRY(const std::optional<Program> whole, with_whole_calls(*before->program));
  const Program& module = whole ? *whole : *before->program;
  TRY(const int64_t devices, partition_devices(module, options));
  std::vector<std::string> widened;
  const std::optional<Program> wide = on_all_devices(module, devices, widened);
  RenamedInstructions renamed;
  TRY(const Program source, prepare_for_spmd(wide ? *wide : module, options.dialect, &renamed));
  TRY(Partitioned out, partition_prepared({before, source, renamed, devices}, options));
  out.notes.insert(out.notes.end(), widened.begin(), widened.end());
  return out;
}

Result<Partitioned> partition(const Program& module, const PartitionOptions& options) {
  return partition(read_stage(module), options);
}

Result<Partitioned> partition_regions_only(const StagePtr& module, const PartitionOptions& options) {
  TRY(const int64_t devices, partition_devices(*module->program, options));
  RenamedInstructions renamed;
  TRY(Program source, prepare_for_spmd(*module->program, options.dialect, &renamed));
  TRY(const auto in_region, instructions_in_regions(source, devices));
  for (size_t c = 0; c < source.computations.size(); ++c) whole_outside(in_region[c], source.computations[c]);
  return partition_prepared({module, source, renamed, devices}, options);
}

}  // namespace shardscope::inline partitioner
