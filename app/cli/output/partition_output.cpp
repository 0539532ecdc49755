// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/partition_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/report/memory_report.h"
#include "engine/session/modules/collective_volume.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

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

std::optional<bool> fits_memory(const MemoryUse& memory, const Hardware& hardware) {
  if (!hardware.memory.hbm_bytes) return std::nullopt;
  return static_cast<double>(memory.bytes()) <= *hardware.memory.hbm_bytes;
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
      if (is_known(collective_opcode(i)))
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

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// "x from P('data', 'model') to P('data', None)".
std::string move_text(const CollectiveOrigin& c, bool tiles) {
  const std::string way = c.way(tiles);
  return (c.moved.empty() ? c.operand : c.moved) + (way.empty() ? "" : " " + way);
}

// "all-reduce over model: its result from … for dot.7 (jit(step)/dot_general, step.py:12)".
std::string collective_sentence(const Program& program, const CollectiveOrigin& c, const Instruction& i,
                                bool tiles) {
  const std::vector<std::string> axes = collective_axes(program, i);
  std::string where = c.op_name;
  if (!c.source_line.empty() || c.line > 0)
    where += (where.empty() ? "" : ", ") +
             (c.source_line.empty() ? fmt::format("line {}", c.line) : c.source_line);
  std::string out =
      fmt::format("{}{}: {}", opcode_text(collective_opcode(i)),
                  axes.empty() ? "" : fmt::format(" over {}", fmt::join(axes, ", ")), move_text(c, tiles));
  if (!c.consumer.empty()) out += " for " + c.consumer;
  if (!where.empty()) out += fmt::format(" ({})", where);
  return out;
}

Json collective_json(const Program& program, const CollectiveOrigin& origin, const NamedCollective& named,
                     SpmdDialect dialect) {
  const Instruction& i = *named.instruction;
  Json out = {{"opcode", opcode_text(i)}, {"name", i.name}, {"shape", i.shape.text()}};
  out["replica_groups"] = i.permutation ? Json(nullptr) : Json(groups_text(named, dialect));
  if (i.permutation) out["source_target_pairs"] = attribute(named.text, "source_target_pairs");
  out["channel_id"] = i.channel_id ? Json(*i.channel_id) : Json(nullptr);
  out["axes"] = collective_axes(program, i);
  out["bytes"] = origin.bytes;
  out["bytes_sent_per_device"] = origin.bytes_sent;
  out["bytes_moved"] = volume_of(origin, program.mesh.device_count()).moved;
  out["algorithm"] = text_or_null(origin.algorithm);
  out["rule"] = origin.rule;
  out["operand"] = origin.operand;
  out["instruction"] = origin.instruction;
  out["moved"] = text_or_null(origin.moved);
  out["consumer"] = text_or_null(origin.consumer);
  out["op_name"] = text_or_null(origin.op_name);
  out["from"] = origin.from;
  out["to"] = origin.to;
  out["from_spec"] = text_or_null(origin.from_spec);
  out["to_spec"] = text_or_null(origin.to_spec);
  out["source_line"] = text_or_null(origin.source_line);
  out["line"] = origin.line == 0 ? Json(nullptr) : Json(origin.line);
  out["sentence"] = collective_sentence(program, origin, i, false);
  return out;
}

Json memory_json(const PartitionPage& page) {
  const Partitioned& p = *page.module.made;
  const auto lines = [](const std::vector<MemoryLine>& list) {
    Json out = Json::array();
    for (const MemoryLine& line : list) {
      Json one = {{"bytes", line.bytes}, {"instruction", line.text}};
      if (!line.created.empty()) one["created"] = line.created;
      out.push_back(std::move(one));
    }
    return out;
  };
  Json out = {
      {"before", lines(p.log.before)}, {"after", lines(p.log.after)}, {"during", lines(p.log.during)}};
  out.update(Json::parse(memory_use_json(page.memory)));
  const auto fits = fits_memory(page.memory, page.hardware);
  out["hardware"] = page.hardware.name;
  out["fits"] = fits ? Json(*fits) : Json(nullptr);
  return out;
}

std::string result_sharding(const Partitioned& p) {
  if (p.results.size() == 1 && !p.program->entry_computation().root_instruction().shape.is_tuple)
    return p.results.front().text();
  std::vector<std::string> parts;
  for (const HloSharding& s : p.results) parts.push_back(s.text());
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string result_shape(const Program& module) {
  return module.entry_computation().root_instruction().shape.text();
}

Json numerics_json(const ModuleNumbers& proof) {
  const NumericsReport& report = proof.report;
  const bool checked = report.checked;
  Json out = {{"checked", checked}, {"check", name(report.check)}};
  out["scale"] = checked ? Json(report.scale) : Json(nullptr);
  out["reason"] = text_or_null(report.reason);
  out["allclose"] = checked ? Json(report.allclose) : Json(nullptr);
  out["max_abs"] = checked ? Json(report.max_abs) : Json(nullptr);
  out["bit_equal"] = checked ? Json(proof.bit_equal) : Json(nullptr);
  if (checked) out["reference"] = report.reference;
  if (!report.warnings.empty()) out["warnings"] = report.warnings;
  return out;
}

std::string collective_lines(const Program& program, const CollectiveOrigin& c, const NamedCollective& one,
                             const PartitionPage& page) {
  const Instruction& i = *one.instruction;
  const std::string who =
      i.permutation ? attribute(one.text, "source_target_pairs") : groups_text(one, page.dialect);
  std::string out =
      fmt::format("// {}\n//   {} {} {}\n//   {}\n", collective_sentence(program, c, i, page.tiles), c.name,
                  plain_collective(i).shape.text(), who, volume_of(c, program.mesh.device_count()).text());
  if (!c.rule.empty()) out += "//   " + c.rule + "\n";
  if (const auto overlap = page.module.overlaps.find(c.name); overlap != page.module.overlaps.end())
    out += "//   " + overlap->second.words + "\n";
  if (const auto instead = page.instead.find(c.name); instead != page.instead.end())
    out += "//   " + instead->second.words + "\n";
  return out;
}

std::string memory_lines(const PartitionPage& page) {
  std::string out =
      fmt::format("// a device needs {}", format_bytes(static_cast<double>(page.memory.bytes())));
  if (const auto fits = fits_memory(page.memory, page.hardware))
    out += fmt::format(", which {} the {} of {}", *fits ? "fits" : "does NOT fit",
                       format_bytes(*page.hardware.memory.hbm_bytes), page.hardware.name);
  out += "\n";
  for (const std::string& line : memory_use_lines(page.memory)) out += "//   " + line + "\n";
  return out;
}

std::string proof_lines(const ModuleNumbers& proof) {
  std::string out;
  const NumericsReport& report = proof.report;
  for (const std::string& w : report.warnings) out += "// " + w + "\n";
  if (!report.checked) return out + (report.reason.empty() ? "" : "// not proved: " + report.reason + "\n");
  if (proof.bit_equal)
    out += fmt::format("// equals {}, bit for bit\n", report.reference);
  else if (report.allclose)
    out += fmt::format("// equals {} within {:.3g}\n", report.reference, report.max_abs);
  else
    out += fmt::format("// {}\n", difference_text(report));
  if (!report.reason.empty()) out += fmt::format("//   {}\n", report.reason);
  return out;
}

Json collectives_json(const Program& program, const std::vector<CollectiveOrigin>& collectives,
                      SpmdDialect dialect) {
  const auto named = collectives_by_name(program);
  Json out = Json::array();
  for (const CollectiveOrigin& origin : collectives)
    out.push_back(collective_json(program, origin, named.at(origin.name), dialect));
  return out;
}

Json partitioners_json(const std::vector<PartitionerCost>& costs) {
  Json out = Json::array();
  for (const PartitionerCost& cost : costs)
    out.push_back({{"partitioner", name(cost.by)},
                   {"collectives", cost.collectives},
                   {"bytes_sent_per_device", cost.bytes_sent},
                   {"peak_bytes", cost.peak_bytes},
                   {"time_s", cost.time ? Json(to_seconds(*cost.time)) : Json(nullptr)},
                   {"reason", text_or_null(cost.why)}});
  return out;
}

std::string partitioner_lines(const std::vector<PartitionerCost>& costs) {
  std::string out;
  for (const PartitionerCost& cost : costs) out += fmt::format("// by {}: {}\n", name(cost.by), cost.text());
  if (const std::string cheaper = cheaper_partitioner(costs); !cheaper.empty())
    out += "//   " + cheaper + "\n";
  return out;
}

Json cost_json(const FixCost& cost) {
  return {{"time_s", to_seconds(cost.time)},
          {"bytes_sent_per_device", cost.bytes_sent},
          {"peak_bytes", cost.peak_bytes},
          {"collectives", cost.collectives}};
}

Json fixes_json(const Fixes& fixes) {
  Json all = Json::array();
  for (const Fix& fix : fixes.fixes)
    all.push_back({{"instruction", fix.edit.instruction},
                   {"reader", text_or_null(fix.edit.reader)},
                   {"place", name(fix.place)},
                   {"sharding", fix.edit.sharding},
                   {"spec", fix.edit.spec},
                   {"source_line", text_or_null(fix.source_line)},
                   {"removes", fix.removes},
                   {"now", cost_json(fix.now)},
                   {"then", cost_json(fix.then)},
                   {"sentence", fix.words()}});
  return {{"tried", fixes.tried},
          {"left", fixes.left},
          {"fixes", all},
          {"together", fixes.together ? cost_json(*fixes.together) : Json(nullptr)}};
}

std::string fix_lines(const Fixes& fixes) {
  std::string out;
  for (const Fix& fix : fixes.fixes) out += "// fix: " + fix.words() + "\n";
  if (fixes.together)
    out += fmt::format("// all of them together: {}; a device sends {}; {}\n",
                       format_picoseconds(fixes.together->time), format_bytes(fixes.together->bytes_sent),
                       counted(fixes.together->collectives, "collective"));
  out += fmt::format("// {} tried, {} of them {}", counted(fixes.tried, "annotation"), fixes.fixes.size(),
                     fixes.fixes.size() == 1 ? "helps" : "help");
  if (fixes.left > 0) out += fmt::format("; {} left out", fixes.left);
  return out + "\n";
}

// The collective in plain form, beside it how it runs.
void add_overlap(const Instruction& collective, const CollectiveOverlap& overlap, Json& out) {
  const Instruction plain = plain_collective(collective);
  out["opcode"] = opcode_text(plain);
  out["shape"] = plain.shape.text();
  out["overlap"] = {{"asynchronous", overlap.asynchronous},
                    {"link", overlap.link},
                    {"time_s", to_seconds(overlap.time)},
                    {"hidden_s", to_seconds(overlap.hidden)},
                    {"beside", overlap.beside},
                    {"sentence", overlap.words}};
}

// The stages by name, each with what its pass did.
Json stages_json(const StagePtr& last) {
  std::vector<Json> out;
  for (StagePtr stage = last; stage != nullptr; stage = stage->before) {
    const auto pass = backend_pass(stage);
    out.push_back({{"name", pass == nullptr ? name(stage->kind) : pass->pass},
                   {"instructions", stage->program->instruction_count()},
                   {"said", pass == nullptr ? Json::array() : Json(pass->said)}});
  }
  return Json(std::vector<Json>(out.rbegin(), out.rend()));
}

void add_instead(const Instead& instead, Json& collective) {
  collective["time_s"] = to_seconds(instead.time);
  Json routes = Json::array();
  for (const PricedRoute& route : instead.routes) {
    Json steps = Json::array();
    for (const RouteStep& step : route.steps)
      steps.push_back({{"opcode", step.opcode}, {"axes", step.axes}, {"bytes", step.bytes}});
    routes.push_back({{"steps", steps}, {"bytes", route.bytes}, {"time_s", to_seconds(route.time)}});
  }
  collective["instead"] = routes;
}

}  // namespace

std::string difference_text(const NumericsReport& report) {
  return fmt::format("DIFFERS from {} by up to {:.3g}", report.reference, report.max_abs);
}

std::string own_collectives_json(const Program& program, const Hardware& hardware) {
  return collectives_json(program, own_collectives(program, hardware), SpmdDialect::current).dump();
}

std::string partition_json(const PartitionPage& page) {
  const Partitioned& p = *page.module.made;
  Json collectives = collectives_json(*p.program, p.collectives, page.dialect);
  for (Json& each : collectives)
    if (const auto overlap = page.module.overlaps.find(each.at("name").get<std::string>());
        overlap != page.module.overlaps.end())
      add_overlap(*p.program.find(overlap->first), overlap->second, each);
  for (Json& each : collectives)
    if (const auto instead = page.instead.find(each.at("name").get<std::string>());
        instead != page.instead.end())
      add_instead(instead->second, each);
  std::map<std::string, int64_t> counts;
  for (const Opcode opcode : {Opcode::all_gather, Opcode::all_reduce, Opcode::all_to_all,
                              Opcode::collective_permute, Opcode::reduce_scatter})
    counts[std::string(opcode_text(opcode))] = 0;
  for (const Json& each : collectives) ++counts[each.at("opcode").get<std::string>()];
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
  Json out = {
      {"devices", p.program->mesh.device_count()},
      {"mesh", p.program->mesh.text()},
      {"notes", p.notes},
      {"collectives", collectives},
      {"parameters", parameters},
      {"result", {{"shape", result_shape(*first_stage(p).program)}, {"sharding", result_sharding(p)}}},
      {"rematerializations", rematerializations},
      {"warnings", p.warnings()},
      {"memory", memory_json(page)},
      {"numerics", numerics_json(page.proof)},
      {"counts", counts}};
  out["stages"] = stages_json(page.module.last);
  if (page.stage != nullptr) out["module"] = print_program(*page.stage->program);
  if (!page.partitioners.empty()) out["partitioners"] = partitioners_json(page.partitioners);
  if (page.fixes) out["fixes"] = fixes_json(*page.fixes);
  return out.dump(2) + "\n";
}

std::string partition_text(const PartitionPage& page) {
  const Partitioned& p = *page.module.made;
  std::string out = print_program(*p.program);
  out += fmt::format("\n// {}, mesh {}\n", counted(p.program->mesh.device_count(), "device"),
                     p.program->mesh.text());
  for (const std::string& note : p.notes) out += "// " + note + "\n";
  const auto named = collectives_by_name(*p.program);
  for (const CollectiveOrigin& c : p.collectives)
    out += collective_lines(*p.program, c, named.at(c.name), page);
  out += partitioner_lines(page.partitioners);
  for (const std::string& warning : p.warnings()) out += "// warning: " + warning + "\n";
  if (page.fixes) out += fix_lines(*page.fixes);
  return out + memory_lines(page) + proof_lines(page.proof);
}

}  // namespace shardscope::inline cli
