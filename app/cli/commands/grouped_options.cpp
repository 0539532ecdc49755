// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/grouped_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>

#include "app/cli/commands/commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/tile_table.h"
#include "app/cli/output/output.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

// The option that an error of the engine is about.
Error with_option(Error error) {
  static const std::map<std::string, std::string> kOptions = {{"group_sizes", "--group-sizes"},
                                                              {"tile of m", "--tile"},
                                                              {"tiling", "--tile"},
                                                              {"group_offset", "--group-offset"},
                                                              {"local_groups", "--local-groups"},
                                                              {"existing_out", "--existing-out"},
                                                              {"lhs", "--lhs"},
                                                              {"rhs", "--rhs"},
                                                              {"m", "--m"},
                                                              {"mesh", "--mesh"},
                                                              {"axis", "--axis"},
                                                              {"transpose_rhs", "--transpose-rhs"},
                                                              {"preferred_element_type", "--out-dtype"},
                                                              {"grad", "--grad"},
                                                              {"vjp", "--vjp"}};
  const auto found = kOptions.find(error.where);
  if (found != kOptions.end()) error.where = found->second;
  return error;
}

// As the table of fields says it of a run's.
std::string not_negative(const std::string& text) {
  const auto number = parse_double(text);
  return number && *number < 0 ? fmt::format("expected a number that is not negative, got '{}'", text) : "";
}

Result<GmmTiling> parse_tile(const std::string& text) {
  std::vector<int64_t> sizes;
  for (const std::string& part : split(trim(text), ',')) {
    const auto size = parse_int(trim(part));
    if (!size) break;
    sizes.push_back(*size);
  }
  if (sizes.size() != 3 || split(trim(text), ',').size() != 3)
    return invalid(fmt::format("expected three whole numbers tm,tk,tn, got '{}'", text), "--tile",
                   "write it as in 128,128,128");
  return GmmTiling{sizes[0], sizes[1], sizes[2]};
}

Result<ElementType> parse_type(const std::optional<std::string>& text, ElementType otherwise,
                               const char* option) {
  if (!text) return otherwise;
  const auto type = parse_element_type(*text);
  if (!type || (*type != ElementType::f32 && *type != ElementType::bf16))
    return invalid(fmt::format("expected bf16 or f32, got '{}'", *text), option);
  return *type;
}

Result<Fill> fill_named(const std::string& text) {
  std::vector<std::string> names;
  for (Fill fill : kFills) {
    if (text == name(fill)) return fill;
    names.emplace_back(name(fill));
  }
  return invalid(fmt::format("unknown fill '{}'", text), "--fill", "one of " + join(names, ", "));
}

// An array of a file, in the type that was asked for or the file's own.
Result<Array> read_operand(const std::string& path, bool typed, ElementType type, size_t rank,
                           const char* option) {
  const bool rounds = typed && type == ElementType::bf16;
  const auto array = read_npy(path, rounds ? std::optional(type) : std::nullopt, rank);
  if (!array.ok()) return array.error();
  if (typed && array->type() != type) {
    return invalid(fmt::format("expected {}, got {}", name(type), name(array->type())),
                   fmt::format("{}, {}", option, path));
  }
  if (array->type() != ElementType::f32 && array->type() != ElementType::bf16) {
    return invalid(fmt::format("expected bf16 or f32, got {}", name(array->type())),
                   fmt::format("{}, {}", option, path), "write it with array.astype(numpy.float32)");
  }
  return *array;
}

// megablox refuses another type than the output's instead of converting it.
Result<Array> read_existing_out(const std::string& path, ElementType out_type, size_t rank) {
  TRY(const NpyHeader header, read_npy_header(path, out_type));
  const ElementType stored = header.type;
  if (stored != out_type) {
    return invalid(fmt::format("existing output dtype must match preferred_element_type: expected {}, got {}",
                               name(out_type), name(stored)),
                   "--existing-out, " + path,
                   stored == ElementType::f32 || stored == ElementType::bf16
                       ? fmt::format("say --out-dtype {}", name(stored))
                       : std::string());
  }
  return read_npy(path, out_type, rank);
}

// A size that was typed, that files have, or both.
struct Size {
  std::optional<int64_t>* value;
  const char* option;
  Result<void> is(int64_t of_file, const std::string& file) const {
    if (*value && **value != of_file)
      return invalid(fmt::format("expected {} = {}, got {}", option + 2, **value, of_file), file,
                     fmt::format("leave out {} or give another file", option));
    *value = of_file;
    return {};
  }
};

struct Sizes {
  std::optional<int64_t> m, k, n;
};

Result<Sizes> sizes_of(const GroupedCommandOptions& o, GroupedOp op, const GroupedProblem& p) {
  Sizes out{o.m, o.k, o.n};
  const Size m{&out.m, "--m"}, k{&out.k, "--k"}, n{&out.n, "--n"};
  const bool gmm = op == GroupedOp::gmm;
  if (p.lhs) {
    TRY_VOID((gmm ? m : k).is(p.lhs->dims()[0], *o.lhs));
    TRY_VOID((gmm ? k : m).is(p.lhs->dims()[1], *o.lhs));
  }
  if (p.rhs && gmm) {
    TRY_VOID((o.transpose_rhs ? n : k).is(p.rhs->dims()[1], *o.rhs));
    TRY_VOID((o.transpose_rhs ? k : n).is(p.rhs->dims()[2], *o.rhs));
  } else if (p.rhs) {
    TRY_VOID(m.is(p.rhs->dims()[0], *o.rhs));
    TRY_VOID(n.is(p.rhs->dims()[1], *o.rhs));
  }
  for (const Size& size : {m, k, n}) {
    if (!*size.value) return invalid(fmt::format("{} is missing", size.option + 2), size.option);
    if (**size.value < 1 || **size.value > INT32_MAX)
      return invalid(
          fmt::format("expected {} from 1 to {}, got {}", size.option + 2, INT32_MAX, **size.value),
          size.option);
  }
  return out;
}

Result<GroupedReport> make_report(const GroupedCommandOptions& o, const GroupedProblem& problem,
                                  const std::stop_token& stop) {
  GroupedReport out{problem, {}, {}, {}, {}, {}};
  const Workers workers(o.threads);
  if (o.mesh) {
    TRY(const Mesh mesh, Mesh::parse(*o.mesh));
    TRY(out.experts, expert_parallel(problem, mesh, o.axis.value_or("")));
  }
  if (o.numerics == "off") {
    TRY(out.estimate, estimate(problem));
    return out;
  }
  TRY(out.run, run_grouped(problem, {o.rtol, o.atol}, workers, stop));
  out.estimate = {out.run->result.shape, out.run->result.metadata, out.run->cost};
  if (o.vjp) {
    std::optional<Array> grad;
    if (o.grad) {
      TRY(grad, read_operand(*o.grad, o.out_dtype.has_value(), problem.options.out_type, 2, "--grad"));
    }
    TRY(out.gradients, run_gradients(problem, *out.run, grad, {o.rtol, o.atol}, workers, stop));
  }
  if (!out.experts || problem.options.existing_out || problem.options.allow_short) return out;
  TRY(const Array joined,
      run_expert_parallel(problem, *out.experts, out.run->lhs, out.run->rhs, workers, stop));
  out.experts_equal = joined == out.run->result.out;
  return out;
}

Result<void> write_arrays(const GroupedCommandOptions& o, const GroupedReport& report) {
  if (o.out) TRY_VOID(write_npy(*o.out, report.run->result.out));
  if (o.lhs_grad_out) TRY_VOID(write_npy(*o.lhs_grad_out, report.gradients->gradients.lhs));
  if (o.rhs_grad_out) TRY_VOID(write_npy(*o.rhs_grad_out, report.gradients->gradients.rhs));
  return {};
}

}  // namespace

void add_grouped_options(CLI::App& command, GroupedCommandOptions& o, GroupedOp op) {
  const bool gmm = op == GroupedOp::gmm;
  command.add_option("--m", o.m, "Rows that the groups share (or from --lhs)");
  command.add_option("--k", o.k, gmm ? "Contracted size" : "Rows of each group's matrix");
  command.add_option("--n", o.n, "Columns");
  command.add_option("--group-sizes", o.group_sizes, "Rows of each group, as in 3,6,7")->required();
  command.add_option("--tile", o.tile, "Tile tm,tk,tn; tm divides m (default: 128,128,128)");
  command
      .add_option("--tile-table", o.tile_table,
                  "Look the tile up in this file: a line m,k,n,tm,tk,tn for each tuned problem")
      ->type_name(kInputFile);
  command.add_option("--dtype", o.dtype, "Type of both operands: f32 or bf16 (default: f32, or the files')");
  command.add_option("--lhs-dtype", o.lhs_dtype, "Type of the left operand, when it differs");
  command.add_option("--rhs-dtype", o.rhs_dtype, "Type of the right operand, when it differs");
  command.add_option("--out-dtype", o.out_dtype, "Type of the result: f32 or bf16 (default: f32)");
  command.add_option("--group-offset", o.group_offset, "First group of this shard (default: 0)");
  command.add_option("--local-groups", o.local_groups, "Groups of this shard (default: all the rest)");
  if (gmm) {
    command.add_flag("--transpose-rhs", o.transpose_rhs, "The right operand is [groups, n, k]");
    command.add_flag("--vjp", o.vjp, "Run the gradients of both operands too: a gmm and a tgmm");
    command.add_option("--grad", o.grad, "With --vjp: NPY file [m, n], the gradient of the result")
        ->type_name(kInputFile);
    command.add_option("--lhs-grad-out", o.lhs_grad_out, "With --vjp: write the gradient of lhs")
        ->type_name(kOutputArray);
    command.add_option("--rhs-grad-out", o.rhs_grad_out, "With --vjp: write the gradient of rhs")
        ->type_name(kOutputArray);
  }
  command
      .add_option(
          "--existing-out", o.existing_out,
          gmm ? "NPY file whose rows are replaced by the shard's" : "NPY file that the result is added to")
      ->type_name(kInputFile);
  command.add_option("--lhs", o.lhs, gmm ? "NPY file [m, k]" : "NPY file [k, m]")->type_name(kInputFile);
  command.add_option("--rhs", o.rhs, gmm ? "NPY file [groups, k, n]" : "NPY file [m, n]")
      ->type_name(kInputFile);
  command.add_option("--out", o.out, "Write the result to an NPY file")->type_name(kOutputArray);
  command
      .add_option("--visit-empty", o.visit_empty,
                  fmt::format("on: empty groups get a visit (default: {})", gmm ? "off" : "on"))
      ->check(CLI::IsMember({"on", "off"}));
  command.add_flag("--allow-short", o.allow_short,
                   "Group sizes may sum to less than m; shows the rows that no group writes");
  command.add_option("--mesh", o.mesh,
                     "Spread the groups over a mesh axis, as in expert=4: the load of each device");
  command.add_option("--axis", o.axis, "The axis that the groups are spread over (default: the first)");
  command.add_option("--fill", o.fill, "integers (exact), normal, arange or jax, where no file is given");
  command.add_option("--seed", o.seed, "Seed of the fill (default: 0)");
  command.add_option("--rtol", o.rtol, "Relative tolerance of the check")
      ->check(CLI::Validator(not_negative, ""));
  command.add_option("--atol", o.atol, "Absolute tolerance of the check")
      ->check(CLI::Validator(not_negative, ""));
  command.add_option("--numerics", o.numerics, "off: the schedule and the cost alone (default: on)")
      ->check(CLI::IsMember({"on", "off"}));
  add_threads(command, o.threads);
  command.add_flag("--json", o.json, "One JSON object on stdout");
}

Result<GroupedProblem> make_grouped_problem(const GroupedCommandOptions& o, GroupedOp op) {
  GroupedProblem p;
  p.op = op;
  TRY(p.group_sizes, parse_group_sizes(o.group_sizes));
  if (o.tile && o.tile_table) return invalid("expected one of --tile and --tile-table", "--tile");
  if (o.tile_table) {
    TRY(p.options.tiling, read_tile_table(*o.tile_table));
  } else if (o.tile) {
    TRY(p.options.tiling, parse_tile(*o.tile));
  }
  TRY(const ElementType both, parse_type(o.dtype, ElementType::f32, "--dtype"));
  TRY(p.lhs_type, parse_type(o.lhs_dtype, both, "--lhs-dtype"));
  TRY(p.rhs_type, parse_type(o.rhs_dtype, both, "--rhs-dtype"));
  TRY(p.options.out_type, parse_type(o.out_dtype, ElementType::f32, "--out-dtype"));
  p.options.group_offset = o.group_offset.value_or(0);
  p.options.local_groups = o.local_groups;
  p.options.transpose_rhs = o.transpose_rhs;
  if (o.visit_empty) p.options.visit_empty = *o.visit_empty == "on";
  p.options.allow_short = o.allow_short;
  TRY(p.fill, fill_named(o.fill));
  p.seed = o.seed;
  if (o.lhs) {
    TRY(p.lhs, read_operand(*o.lhs, o.dtype || o.lhs_dtype, p.lhs_type, 2, "--lhs"));
    p.lhs_type = p.lhs->type();
  }
  if (o.rhs) {
    const size_t rank = op == GroupedOp::gmm ? 3 : 2;
    TRY(p.rhs, read_operand(*o.rhs, o.dtype || o.rhs_dtype, p.rhs_type, rank, "--rhs"));
    p.rhs_type = p.rhs->type();
  }
  if (o.existing_out) {
    const size_t rank = op == GroupedOp::gmm ? 2 : 3;
    TRY(p.options.existing_out, read_existing_out(*o.existing_out, p.options.out_type, rank));
  }
  TRY(const Sizes sizes, sizes_of(o, op, p));
  p.m = *sizes.m;
  p.k = *sizes.k;
  p.n = *sizes.n;
  return p;
}

Result<int> run_grouped_command(const GroupedCommandOptions& o, GroupedOp op, const std::stop_token& stop) {
  if (o.out && o.numerics == "off")
    return invalid("there is no result without numerics", "--out", "say --numerics on");
  if (!o.vjp && (o.grad || o.lhs_grad_out || o.rhs_grad_out))
    return invalid("there are no gradients without --vjp", o.grad ? "--grad" : "--vjp", "say --vjp");
  if (o.vjp && o.numerics == "off")
    return invalid("there are no gradients without numerics", "--vjp", "say --numerics on");
  const auto problem = make_grouped_problem(o, op);
  if (!problem.ok()) return with_option(problem.error());
  const auto report = make_report(o, *problem, stop);
  if (!report.ok()) return with_option(report.error());
  // What was computed is shown, whatever becomes of its files.
  const Result<void> saved = write_arrays(o, *report);
  TRY_VOID(print_text(o.json ? grouped_json(*report) : grouped_text(*report)));
  TRY_VOID(saved);
  const auto& gradients = report->gradients;
  const bool right =
      (!report->run || report->run->numerics.allclose) && report->experts_equal.value_or(true) &&
      (!gradients || (gradients->of_lhs.numerics.allclose && gradients->of_rhs.numerics.allclose));
  return right ? kExitDone : kExitWrongNumbers;
}

}  // namespace shardscope::inline cli
