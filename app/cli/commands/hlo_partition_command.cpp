// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/base/units.h"
#include "engine/session/hlo_numbers.h"

namespace shardscope {
namespace {

using Json = nlohmann::ordered_json;

struct PartitionCommandOptions : HloOptions {
  std::string check = "on", out;
  uint64_t seed = 0;
  int threads = 0;
};

// The value of an attribute in an instruction's own text, "" without it.
std::string attribute(const std::string& text, const std::string& key) {
  const size_t found = text.find(", " + key + "=");
  if (found == std::string::npos) return "";
  const size_t begin = found + key.size() + 3;
  int depth = 0;
  size_t end = begin;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) break;
  }
  return text.substr(begin, end - begin);
}

struct NamedCollective {
  const Instruction* instruction = nullptr;
  std::string text;
};

std::map<std::string, NamedCollective> collectives_by_name(const Program& program) {
  std::map<std::string, NamedCollective> out;
  for (const Computation& c : program.computations) {
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      if (is_collective(i.opcode))
        out[i.name] = {&i, print_instruction(program, c, InstructionId(static_cast<int64_t>(k)))};
    }
  }
  return out;
}

// As the dialect writes groups: lists in 2022, iota today.
std::string groups_text(const NamedCollective& named, SpmdDialect dialect) {
  const TileAssignment& tiles = named.instruction->replica_groups->tiles;
  if (dialect == SpmdDialect::current || tiles.dims.size() != 2)
    return attribute(named.text, "replica_groups");
  std::vector<std::string> lists;
  for (auto at = tiles.devices.begin(); at != tiles.devices.end(); at += tiles.dims[1])
    lists.push_back(fmt::format("{{{}}}", fmt::join(at, at + tiles.dims[1], ",")));
  return fmt::format("{{{}}}", fmt::join(lists, ","));
}

Json collective_json(const Program& program, const CollectiveOrigin& origin, const NamedCollective& named,
                     SpmdDialect dialect) {
  const Instruction& i = *named.instruction;
  Json out = {{"opcode", opcode_text(i.opcode)}, {"name", i.name}, {"shape", i.shape.text()}};
  out["replica_groups"] = i.permutation ? Json(nullptr) : Json(groups_text(named, dialect));
  if (i.permutation) out["source_target_pairs"] = attribute(named.text, "source_target_pairs");
  out["channel_id"] = i.channel_id ? Json(*i.channel_id) : Json(nullptr);
  out["axes"] = collective_axes(program, i);
  out["bytes_sent_per_device"] = origin.bytes_sent;
  out["rule"] = origin.rule;
  out["operand"] = origin.operand;
  out["instruction"] = origin.instruction;
  out["from"] = origin.from;
  out["to"] = origin.to;
  out["source_line"] = origin.source_line.empty() ? Json(nullptr) : Json(origin.source_line);
  return out;
}

Json memory_json(const Partitioned& p) {
  const auto lines = [](const std::vector<MemoryLine>& list) {
    Json out = Json::array();
    for (const MemoryLine& line : list) {
      Json one = {{"bytes", line.bytes}, {"instruction", line.text}};
      if (!line.created.empty()) one["created"] = line.created;
      out.push_back(std::move(one));
    }
    return out;
  };
  return {{"before", lines(p.log.before)},
          {"after", lines(p.log.after)},
          {"during", lines(p.log.during)},
          {"peak_bytes", p.peak_bytes}};
}

std::string result_sharding(const Partitioned& p) {
  if (p.results.size() == 1 && !p.program.entry_computation().root_instruction().shape.is_tuple)
    return p.results.front().text();
  std::vector<std::string> parts;
  for (const HloSharding& s : p.results) parts.push_back(s.text());
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string result_shape(const Program& module) {
  return module.entry_computation().root_instruction().shape.text();
}

std::string to_json(const Program& module, const Partitioned& p, const std::optional<ModuleNumbers>& proof,
                    SpmdDialect dialect) {
  const auto named = collectives_by_name(p.program);
  Json collectives = Json::array();
  std::map<std::string, int64_t> counts;
  for (const Opcode opcode : {Opcode::all_gather, Opcode::all_reduce, Opcode::all_to_all,
                              Opcode::collective_permute, Opcode::reduce_scatter})
    counts[std::string(opcode_text(opcode))] = 0;
  for (const CollectiveOrigin& origin : p.collectives) {
    const NamedCollective& one = named.at(origin.name);
    ++counts[std::string(opcode_text(one.instruction->opcode))];
    collectives.push_back(collective_json(p.program, origin, one, dialect));
  }
  Json parameters = Json::array();
  for (size_t n = 0; n < p.parameters.size(); ++n) {
    parameters.push_back({{"name", p.parameter_names[n]},
                          {"shape", p.parameter_shapes[n].text()},
                          {"sharding", p.parameters[n].text()}});
  }
  Json rematerializations = Json::array();
  for (const Rematerialization& r : p.rematerializations) {
    rematerializations.push_back({{"instruction", r.instruction},
                                  {"from", r.from},
                                  {"to", r.to},
                                  {"message", r.message},
                                  {"suggestion", r.suggestion}});
  }
  Json numerics = {{"checked", proof.has_value()}};
  numerics["allclose"] = proof ? Json(proof->report.allclose) : Json(nullptr);
  numerics["max_abs"] = proof ? Json(proof->report.max_abs) : Json(nullptr);
  numerics["bit_equal"] = proof ? Json(proof->bit_equal) : Json(nullptr);
  if (proof) numerics["reference"] = proof->report.reference;
  if (proof && !proof->report.warnings.empty()) numerics["warnings"] = proof->report.warnings;
  const Json out = {{"devices", p.program.mesh.device_count()},
                    {"mesh", p.program.mesh.text()},
                    {"notes", p.notes},
                    {"collectives", collectives},
                    {"parameters", parameters},
                    {"result", {{"shape", result_shape(module)}, {"sharding", result_sharding(p)}}},
                    {"rematerializations", rematerializations},
                    {"memory", memory_json(p)},
                    {"numerics", numerics},
                    {"counts", counts}};
  return out.dump(2) + "\n";
}

// The program, with what there is to know of it as comments, so that the output is still a module.
std::string to_text(const Partitioned& p, const std::optional<ModuleNumbers>& proof, SpmdDialect dialect) {
  std::string out = print_program(p.program);
  out += fmt::format("\n// {} devices, mesh {}\n", p.program.mesh.device_count(), p.program.mesh.text());
  for (const std::string& note : p.notes) out += "// " + note + "\n";
  const auto named = collectives_by_name(p.program);
  for (const CollectiveOrigin& c : p.collectives) {
    const NamedCollective& one = named.at(c.name);
    const std::string who =
        one.instruction->permutation ? attribute(one.text, "source_target_pairs") : groups_text(one, dialect);
    out += fmt::format("// {} {} {} a device: {} ({}: {} to {}){}\n", c.name, who, format_bytes(c.bytes_sent),
                       c.rule, c.operand, c.from, c.to, c.source_line.empty() ? "" : " at " + c.source_line);
  }
  for (const Rematerialization& r : p.rematerializations)
    out += fmt::format("// {}\n//   {}\n", r.message, r.suggestion);
  out += fmt::format(
      "// most bytes alive at once on a device: {} (the log of hlo report lists the largest single arrays)\n",
      format_bytes(static_cast<double>(p.peak_bytes)));
  if (!proof) return out;
  const std::string& reference = proof->report.reference;
  for (const std::string& w : proof->report.warnings) out += "// " + w + "\n";
  if (proof->bit_equal)
    out += fmt::format("// equals {}, bit for bit\n", reference);
  else if (proof->report.allclose)
    out += fmt::format("// equals {} within {:.3g}\n", reference, proof->report.max_abs);
  else
    out += fmt::format("// DIFFERS from {} by up to {:.3g}\n", reference, proof->report.max_abs);
  return out;
}

// As far as the module can be computed.
Result<ModuleNumbers> prove(const HloText& read, const Partitioned& made,
                            const PartitionCommandOptions& options, std::stop_token stop) {
  Program module = read.program;
  const auto drawn = draw_elided_constants(module, options.seed);
  NumbersRequest request;
  TRY(request.partition, partition_options(options));
  request.partition.devices = made.program.mesh.device_count();
  request.arguments.seed = options.seed;
  if (read.cut) request.cut = read.cut->what;
  if (drawn.empty() && !read.cut) {
    request.whole = &made;
    request.of = &module;
  }
  TRY(ModuleNumbers out, compute_module(module, request, Workers(options.threads), std::move(stop)));
  if (!drawn.empty()) out.report.warnings.push_back(drawn_words(drawn, options.seed));
  return out;
}

Result<int> run(const PartitionCommandOptions& options, std::stop_token stop) {
  TRY(const bool check, on_or_off(options.check, "--check"));
  TRY(const HloText read, read_module_text(options.file, options.module, stop));
  const Program& module = read.program;
  TRY(PartitionOptions how, partition_options(options));
  how.stop = stop;
  TRY(const Partitioned made, partition(module, how));
  std::optional<ModuleNumbers> proof;
  if (check) {
    TRY(proof, prove(read, made, options, stop));
  }
  // What was computed is shown, whatever becomes of its file.
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(print_program(made.program), options.out);
  if (options.json || options.out.empty()) {
    TRY_VOID(write_output(
        options.json ? to_json(module, made, proof, how.dialect) : to_text(made, proof, how.dialect), ""));
  }
  TRY_VOID(saved);
  return proof && !proof->report.allclose ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_hlo_partition_command(CLI::App& hlo) {
  CLI::App* command =
      hlo.add_subcommand("partition", "Partition a module, say why each collective is there, prove it");
  auto options = std::make_shared<PartitionCommandOptions>();
  add_hlo_file(*command, *options);
  add_partition_options(*command, *options);
  add_propagation(*command, *options);
  command->add_option("--check", options->check, "on: run both programs and compare (default on)");
  command->add_option("-o,--out", options->out, "Write the partitioned module to this file")
      ->type_name(kOutputFile);
  command->add_option("--seed", options->seed, "Of the numbers that are computed (default 0)");
  command->add_option("--threads", options->threads, "How many (default: all)")->check(CLI::Range(0, 1024));
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope
