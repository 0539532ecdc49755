// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/lesson_module.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/program/module_form.h"
#include "engine/session/hlo_presets.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline session {
namespace {

constexpr std::string_view kStableHlo = ".mlir";
constexpr std::string_view kSharding = "#sdy.sharding<@mesh, [";

// Where a parameter's dimensions stand between brackets.
struct SpecPlace {
  std::string parameter;
  size_t begin = 0, size = 0;
};

std::vector<SpecPlace> spec_places(const std::string& text) {
  std::vector<SpecPlace> out;
  const size_t main = text.find("@main(");
  const size_t end = std::min(text.find("->", main), text.size());
  for (size_t at = main; at != std::string::npos && at < end;) {
    const size_t name = text.find('%', at), colon = text.find(':', name);
    if (name == std::string::npos || colon == std::string::npos || name >= end) break;
    const size_t next = text.find('%', colon);
    const size_t begin = text.find(kSharding, colon);
    if (begin < std::min(next, end)) {
      const size_t from = begin + kSharding.size();
      out.push_back({text.substr(name + 1, colon - name - 1), from, text.find("]>", from) - from});
    }
    at = next;
  }
  return out;
}

// "[{"x"}, {}]" without its brackets: a pair of braces a dimension.
PartitionSpec spec_of(std::string_view dims) {
  PartitionSpec out;
  for (size_t at = dims.find('{'); at != std::string_view::npos; at = dims.find('{', at + 1)) {
    const size_t end = dims.find('}', at);
    std::vector<std::string>& axes = out.dims.emplace_back();
    for (const std::string& axis : split(std::string(dims.substr(at + 1, end - at - 1)), ',')) {
      const std::string name(trim(axis));
      if (name.size() > 2) axes.push_back(name.substr(1, name.size() - 2));
    }
  }
  return out;
}

std::string dims_of(const PartitionSpec& spec, size_t rank) {
  std::vector<std::string> dims;
  for (size_t d = 0; d < rank; ++d) {
    std::vector<std::string> axes;
    if (d < spec.dims.size())
      for (const std::string& axis : spec.dims[d]) axes.push_back('"' + axis + '"');
    dims.push_back("{" + join(axes, ", ") + "}");
  }
  return join(dims, ", ");
}

std::vector<std::string> axes_of(const std::string& text) {
  std::vector<std::string> out;
  const size_t mesh = text.find("sdy.mesh @mesh = <["), end = text.find("]>", mesh);
  for (size_t at = text.find('"', mesh); mesh != std::string::npos && at < end;) {
    const size_t close = text.find('"', at + 1);
    out.push_back(text.substr(at + 1, close - at - 1));
    at = text.find('"', close + 1);
  }
  return out;
}

Result<void> check_axes(const PartitionSpec& spec, size_t rank, const std::vector<std::string>& axes) {
  std::vector<std::string> used;
  for (const auto& dim : spec.dims)
    for (const std::string& axis : dim) {
      if (std::ranges::find(axes, axis) == axes.end())
        return invalid(fmt::format("the mesh has no axis '{}'", axis), "", "use " + join(axes, ", "));
      if (std::ranges::find(used, axis) != used.end())
        return invalid(fmt::format("'{}' is used twice", axis), "", "an axis shards one dimension");
      used.push_back(axis);
    }
  if (spec.dims.size() > rank)
    return invalid(fmt::format("{} for an array of {} dimensions", spec.text(), rank));
  return {};
}

Result<std::string> with_sharding(const std::string& text, const std::string& written) {
  const WrittenName said = written_name(written);
  TRY(const PartitionSpec spec, PartitionSpec::parse(said.of));
  const auto places = spec_places(text);
  const auto place = std::ranges::find(places, said.name, &SpecPlace::parameter);
  if (place == places.end()) {
    std::vector<std::string> names;
    for (const SpecPlace& each : places) names.push_back(each.parameter);
    return invalid(fmt::format("the module has no parameter '{}' with a sharding", said.name), "",
                   names.empty() ? "name a module in StableHLO, as mlp.mlir" : "use " + join(names, ", "));
  }
  const size_t rank = spec_of(text.substr(place->begin, place->size)).dims.size();
  TRY_VOID(check_axes(spec, rank, axes_of(text)));
  std::string out = text;
  return out.replace(place->begin, place->size, dims_of(spec, rank));
}

// Without its layout.
std::string shape_words(const Shape& shape) {
  const std::string text = shape.text();
  return text.substr(0, shape.is_tuple ? text.size() : text.find('{'));
}

Result<std::string> sharded_text(const LessonExperiment& experiment) {
  TRY(std::string text, find_module(experiment.module));
  for (const std::string& written : experiment.shardings) {
    TRY(text, with_sharding(text, written));
  }
  return text;
}

std::string operands_of(const Computation& computation, const Instruction& instruction) {
  std::vector<std::string> out;
  for (const auto operand : instruction.operands) out.push_back("%" + computation.at(operand).name);
  return join(out, ", ");
}

}  // namespace

Result<std::string> lesson_module_text(const LessonExperiment& experiment) {
  TRY(std::string text, sharded_text(experiment));
  for (const char* begin : {"HloModule", "module @"})
    if (const size_t at = text.find(begin); at != std::string::npos) return text.substr(at);
  return text;
}

Result<Program> read_lesson_module(const LessonExperiment& experiment) {
  TRY(std::string text, sharded_text(experiment));
  if (is_module_name(experiment.module) && !experiment.module.ends_with(kStableHlo)) {
    TRY(HloText read, read_hlo(text, experiment.module + ".hlo"));
    return std::move(read.program);
  }
  TRY(HloText read, read_module_bytes(std::move(text), experiment.module));
  return std::move(read.program);
}

Result<std::vector<ParameterSpec>> parameter_specs(const LessonExperiment& experiment) {
  TRY(const std::string text, lesson_module_text(experiment));
  std::vector<ParameterSpec> out;
  for (const SpecPlace& place : spec_places(text)) {
    const PartitionSpec spec = spec_of(text.substr(place.begin, place.size));
    out.push_back({place.parameter, spec_text(spec, spec.dims.size()), spec.dims.size()});
  }
  if (out.empty())
    return invalid(fmt::format("'{}' names no mesh axes", experiment.module), "",
                   "name a module in StableHLO, as mlp.mlir");
  return out;
}

Result<std::vector<std::string>> spec_choices(const LessonExperiment& experiment, size_t rank) {
  TRY(const std::string text, lesson_module_text(experiment));
  std::vector<PartitionSpec> all{PartitionSpec{std::vector<std::vector<std::string>>(rank)}};
  for (const std::string& axis : axes_of(text)) {
    const std::vector<PartitionSpec> before = all;
    for (const PartitionSpec& spec : before)
      for (size_t d = 0; d < rank; ++d) all.push_back(spec), all.back().dims[d].push_back(axis);
  }
  std::vector<std::string> out;
  for (const PartitionSpec& spec : all) out.push_back(spec_text(spec, rank));
  return out;
}

std::string written_spec(const ParameterSpec& spec) {
  return spec.parameter + " = " + spec.spec;
}

std::vector<std::string> written_specs(const LessonExperiment& experiment) {
  std::vector<std::string> out;
  const auto specs = parameter_specs(experiment);
  if (specs.ok())
    for (const ParameterSpec& each : *specs) out.push_back(written_spec(each));
  return out;
}

std::string module_listing(const Program& program, bool shardings) {
  std::string out;
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions) {
    std::string line = fmt::format("%{} = {}({})", i.name, operation(i.opcode).text, operands_of(entry, i));
    line = fmt::format("{:<42} {:<12}", line, shape_words(i.shape));
    if (shardings && i.sharding && !i.shape.is_tuple)
      line += " " + sharding_text(*i.sharding, program.mesh, i.shape.dims.size());
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace shardscope::inline session
