// SPDX-License-Identifier: Apache-2.0
#include "engine/program/source/shard_map_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <vector>

#include "engine/base/text.h"
#include "engine/program/source/jax_arrays.h"
#include "engine/program/source/jax_rules.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

using Lines = std::vector<std::string>;

// What the file itself calls things; no function or array has these names.
const std::set<std::string> kOwnNames{"os",      "functools", "jax",   "jnp",       "np",
                                      "lax",     "P",         "Mesh",  "mesh",      "shard_map",
                                      "program", "random",    "tuple", "unchecked", "ragged_all_to_all"};

std::string text_of(const Lines& lines, std::string_view indent) {
  std::string out;
  for (const std::string& line : lines) out += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  return out;
}

// "step 1: X left by 1", where it says something.
std::string provenance_of(const Instruction& i) {
  const Provenance& p = i.provenance;
  if (p.op_name.empty()) return "";
  const std::string step = p.step >= 0 ? fmt::format("step {}: ", p.step) : "";
  std::string out;
  for (const char c : step + p.op_name) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return out;
}

class SourceWriter {
 public:
  explicit SourceWriter(const Program& program) : program_(program) {
    PythonNames names(kOwnNames);
    for (size_t n = 0; n < program.computations.size(); ++n)
      functions_.push_back(static_cast<int32_t>(n) == program.entry.value
                               ? names.name("device")
                               : names.name(program.computations[n].name));
    taken_ = kOwnNames;
    taken_.insert(functions_.begin(), functions_.end());
  }

  Result<std::string> write(std::string_view title) {
    std::string out = head(title);
    if (has_opcode(Opcode::ragged_all_to_all)) out += fmt::format("\n\n{}", jax_ragged_all_to_all());
    const std::vector<char> named = called_by_name();
    for (size_t n = 0; n < program_.computations.size(); ++n) {
      if (static_cast<int32_t>(n) == program_.entry.value || !named[n]) continue;
      TRY(const std::string text, function(n));
      out += "\n\n" + text;
    }
    TRY(const std::string device, device_function());
    return out + "\n\n" + device + tail();
  }

 private:
  // Computations that combine two values are named only where lax has no word for them.
  std::vector<char> called_by_name() const {
    std::vector<char> out(program_.computations.size());
    for (const Computation& c : program_.computations)
      for (const Instruction& i : c.instructions)
        for (const CalledComputation& called : i.called)
          if (called.key != "to_apply" || has(i.opcode, Trait::part) || !has_word(i, called.computation))
            out[static_cast<size_t>(called.computation.value)] = 1;
    return out;
  }
  bool has_word(const Instruction& i, ComputationId reducer) const {
    const JaxOperation op{program_, program_.entry_computation(), i, {}, functions_};
    return jax_combiner(op, reducer).starts_with("lax.");
  }

  std::string head(std::string_view title) const {
    const int64_t devices = program_.mesh.device_count();
    std::string text(title);
    std::erase_if(text, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; });
    Lines lines{
        fmt::format("\"\"\"{}: what each of {} devices does, as jax.shard_map.", text, devices),
        "",
        "Written by Shardscope from the program that it times and proves. It needs JAX; where there are",
        "not as many accelerators, JAX's CPU plays the devices.",
        "\"\"\"",
        "import functools",
        "import os",
        "",
        fmt::format("os.environ.setdefault(\"XLA_FLAGS\", \"--xla_force_host_platform_device_count={}\")",
                    devices),
        "",
        "import jax",
        "import jax.numpy as jnp",
        "import numpy as np",
        "from jax import lax",
        "from jax.sharding import Mesh, PartitionSpec as P",
        "",
        "try:",
        "    from jax import shard_map",
        "",
        "    unchecked = {\"check_vma\": False}",
        "except ImportError:  # before JAX 0.6",
        "    from jax.experimental.shard_map import shard_map",
        "",
        "    unchecked = {\"check_rep\": False}",
        ""};
    if (has_wide_types()) lines.insert(lines.end(), {"jax.config.update(\"jax_enable_x64\", True)", ""});
    lines.push_back(fmt::format("mesh = Mesh(np.array(jax.devices()[:{}]).reshape({}), {})", devices,
                                python_tuple(sizes()), python_tuple(quoted_axes())));
    return text_of(lines, "");
  }
  bool has_opcode(Opcode opcode) const {
    return std::ranges::any_of(program_.computations, [&](const Computation& c) {
      return std::ranges::find(c.instructions, opcode, &Instruction::opcode) != c.instructions.end();
    });
  }
  bool has_wide_types() const {
    for (const Computation& c : program_.computations)
      for (const Instruction& i : c.instructions)
        if (!i.shape.is_tuple &&
            bits(i.shape.type) / (element_type(i.shape.type).kind == TypeKind::complex ? 2 : 1) > 32)
          return true;
    return false;
  }
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> out;
    for (const MeshAxis& axis : program_.mesh.axes()) out.push_back(axis.size);
    return out;
  }
  std::vector<std::string> quoted_axes() const {
    std::vector<std::string> out;
    for (const MeshAxis& axis : program_.mesh.axes()) out.push_back(python_string(axis.name));
    return out;
  }

  // The lines of a computation and what its values are called. Its parameters have names already.
  Result<std::vector<std::string>> body(const Computation& c, std::vector<std::string> values,
                                        PythonNames& names, Lines& lines) const {
    std::string said;
    values.resize(c.instructions.size());
    for (size_t n = 0; n < c.instructions.size(); ++n) {
      const Instruction& i = c.instructions[n];
      if (i.opcode == Opcode::parameter || i.opcode == Opcode::after_all) continue;
      JaxOperation op{program_, c, i, {}, functions_};
      for (const InstructionId operand : i.operands)
        op.operands.push_back(values[static_cast<size_t>(operand.value)]);
      TRY(const std::string expression, jax_expression(op));
      const std::string comment = provenance_of(i);
      if (!comment.empty() && comment != said) lines.push_back("# " + comment);
      if (!comment.empty()) said = comment;
      values[n] = names.name(i.name);
      lines.push_back(fmt::format("{} = {}", values[n], expression));
    }
    return values;
  }

  // Names of the parameters by their number, and of the values so far.
  std::vector<std::string> arguments(const Computation& c, PythonNames& names,
                                     std::vector<std::string>& values) const {
    std::vector<std::string> out;
    values.resize(c.instructions.size());
    for (const InstructionId id : parameter_ids(c)) {
      const auto number = static_cast<size_t>(c.at(id).parameter_number);
      if (out.size() <= number) out.resize(number + 1);
      out[number] = values[static_cast<size_t>(id.value)] = names.name(c.at(id).name);
    }
    return out;
  }

  Result<std::string> function(size_t n) const {
    const Computation& c = program_.computations[n];
    PythonNames names(taken_);
    std::vector<std::string> values;
    const std::vector<std::string> taken = arguments(c, names, values);
    Lines lines;
    TRY(values, body(c, std::move(values), names, lines));
    lines.push_back("return " + values[static_cast<size_t>(c.root.value)]);
    return fmt::format("def {}({}):\n{}", functions_[n], join(taken, ", "), text_of(lines, "    "));
  }

  Result<std::string> device_function() {
    const Computation& c = program_.entry_computation();
    PythonNames names(taken_);
    std::vector<std::string> values;
    const std::vector<std::string> taken = arguments(c, names, values);
    parameters_ = jax_parameters(program_);
    results_ = jax_results(program_);
    Lines lines{"\"\"\"What each device does with its shards.\"\"\""};
    for (size_t n = 0; n < parameters_.size(); ++n) {
      parameters_[n].name = taken[n];
      for (std::string& line : parameters_[n].entering()) lines.push_back(std::move(line));
    }
    TRY(values, body(c, std::move(values), names, lines));
    const std::string root = values[static_cast<size_t>(c.root.value)];
    const bool several = c.root_instruction().shape.is_tuple;
    std::vector<std::string> leaving;
    for (size_t n = 0; n < results_.size(); ++n) {
      results_[n].name = several ? fmt::format("{}[{}]", root, n) : root;
      leaving.push_back(results_[n].leaving());
    }
    lines.push_back("return " + (several ? python_tuple(leaving) : leaving.front()));
    return fmt::format("def device({}):\n{}", join(taken, ", "), text_of(lines, "    "));
  }

  std::string tail() {
    std::vector<std::string> in, out, called;
    for (const JaxArray& p : parameters_) in.push_back(p.spec(program_.mesh));
    for (const JaxArray& r : results_) out.push_back(r.spec(program_.mesh));
    const bool several = program_.entry_computation().root_instruction().shape.is_tuple;
    std::string text = fmt::format(
        "\n\nprogram = jax.jit(\n    shard_map(\n        device,\n        mesh=mesh,\n        in_specs={},\n"
        "        out_specs={},\n        **unchecked,\n    )\n)\n",
        python_tuple(in), several ? python_tuple(out) : out.front());
    Lines lines{"random = np.random.default_rng(0)"};
    for (const JaxArray& p : parameters_) {
      lines.push_back(fmt::format("{} = {}", p.name, p.made(program_.mesh)));
      called.push_back(p.name);
    }
    lines.push_back(fmt::format("result = program({})", join(called, ", ")));
    for (size_t n = 0; n < results_.size(); ++n)
      results_[n].name = several ? fmt::format("result[{}]", n) : "result";
    lines.push_back("print(jax.tree.map(jnp.shape, result))");
    for (std::string& line : jax_check(program_, parameters_, results_)) lines.push_back(std::move(line));
    return text + "\nif __name__ == \"__main__\":\n" + text_of(lines, "    ");
  }

  const Program& program_;
  std::vector<std::string> functions_;  // by ComputationId
  std::set<std::string> taken_;
  std::vector<JaxArray> parameters_, results_;
};

}  // namespace

Result<std::string> shard_map_source(const Program& program, std::string_view title) {
  return SourceWriter(program).write(title);
}

}  // namespace shardscope::inline program
