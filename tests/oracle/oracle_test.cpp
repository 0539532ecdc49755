// SPDX-License-Identifier: Apache-2.0
// Programs of JAX users against JAX: every form is read and reads back, the partitioned program is proved,
// its values are JAX's, its collectives XLA's, its shardings JAX's and Shardy's. What is otherwise stands in
// differences.txt, line by line: name, form, what. SHARDSCOPE_UPDATE=1 writes that file anew.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "engine/grad/grad.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/types/fitted_module.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_explain.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "tests/oracle/golden.h"

namespace shardscope::oracle {
namespace {

std::string differences_path() {
  return std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/differences.txt";
}

// How far a value may be from JAX's, relative to the size of its array.
double tolerance(const std::string& dtype) {
  if (dtype.starts_with("int") || dtype.starts_with("uint") || dtype == "bool") return 0;
  if (dtype == "float64" || dtype == "complex128") return 1e-9;
  if (dtype == "float32" || dtype == "complex64") return 1e-4;
  return 2e-2;
}

bool has_values_of(const Array& array, const GoldenResult& golden) {
  if (array.dims() != golden.dims) return false;
  const double count = std::max<double>(1, static_cast<double>(array.element_count()));
  const double scale = std::isfinite(golden.squares) ? std::sqrt(golden.squares / count) : 0;
  const bool pairs = array.type() == ElementType::c64 || array.type() == ElementType::c128;
  std::vector<int64_t> dims = array.dims();
  if (pairs) dims.push_back(2);
  const Array parts =
      !pairs ? array
             : Array::adopt(array.type() == ElementType::c64 ? ElementType::f32 : ElementType::f64, dims,
                            array.buffer());
  return std::ranges::all_of(golden.elements, [&](const GoldenResult::Element& e) {
    const double within = tolerance(golden.dtype) * (scale + std::hypot(e.value, e.imaginary));
    if (!pairs) return near(parts.at(e.place), e.value, within);
    return near(parts.at(2 * e.place), e.value, within) &&
           near(parts.at(2 * e.place + 1), e.imaginary, within);
  });
}

std::map<std::string, std::string> shardy_collectives() {
  std::map<std::string, std::string> out;
  std::ifstream in(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/shardy_collectives.txt");
  for (std::string line; std::getline(in, line);)
    if (const size_t colon = line.find(':'); line[0] != '#' && colon != std::string::npos)
      out[line.substr(0, colon)] = line.substr(colon + 1);
  return out;
}

class Oracle {
 public:
  // "name form what" for all that is otherwise, with why.
  const std::map<std::string, std::string>& differences() const { return differences_; }

  void look_at(const Golden& golden) {
    for (const auto& [form, text] : golden.forms) look_at(golden, form, text);
  }

 private:
  void differs(const std::string& what, const std::string& why = "") {
    differences_[golden_->name + " " + form_ + " " + by_ + what] = why;
  }

  void look_at(const Golden& golden, const std::string& form, const std::string& text) {
    golden_ = &golden;
    form_ = form;
    const auto read = read_hlo_or_mlir(text, form);
    if (!read.ok()) return differs("read", read.error().text());
    const Program& module = read->program;
    const auto again = parse_program(print_program(module));
    if (!again.ok() || !(*again == module)) differs("round-trip", again.ok() ? "" : again.error().text());
    PartitionOptions options;
    options.propagate = true;
    const auto spread = propagate(module, {});
    if (!spread.ok()) return differs("propagate", spread.error().text());
    const auto made = partition(shared_stage(*spread), options);
    if (!made.ok()) return differs("partition", made.error().text());
    compare_rows(*made);
    if (form == "module.mlir") by_shardy(shared_stage(*spread));
    if (golden.results.empty()) return;
    compare_values(*made);
    if (form != "module.mlir") return;
    compare_collectives(*made);
    compare_results(*made);
    compare_spread(module, *spread);
    if (golden.gradient) compare_gradient(module, *golden.gradient);
  }

  // The same by Shardy's partitioner.
  void by_shardy(const StagePtr& spread) {
    by_ = "shardy-";
    PartitionOptions options;
    options.partitioner = Partitioner::shardy;
    const auto made = partition(spread, options);
    if (!made.ok()) {
      differs("partition", made.error().text());
    } else {
      compare_rows(*made);
      if (!golden_->results.empty()) compare_values(*made);
      compare_steps(shared_stage(*made));
    }
    by_.clear();
  }

  void compare_steps(const StagePtr& made) {
    const auto known = shardy_collectives_.find(golden_->name);
    if (known == shardy_collectives_.end()) return;
    const auto fitted = fitted_stage(made, StageKind::collectives);
    std::map<std::string, int64_t> counts;
    for (const auto& [name, move] : fitted->steps)
      if (move.step.kind != StepKind::slice) ++counts[opcode_of(move.step.kind)];
    std::string own;
    for (const auto& [kind, count] : counts) own += fmt::format(" {}={}", kind, count);
    std::ranges::replace(own, '-', '_');
    if (own != known->second)
      differs("collectives", own.substr(own.empty() ? 0 : 1) + " for" + known->second);
  }

  // Everything that moves has a row.
  void compare_rows(const Partitioned& made) {
    std::vector<std::string> rows, moves;
    for (const CollectiveOrigin& row : made.collectives) rows.push_back(row.name);
    for (const Computation& c : made.program->computations)
      for (const Instruction& i : c.instructions)
        if (is_communication(i)) moves.push_back(i.name);
    if (rows != moves) differs("rows");
    const bool explained = std::ranges::all_of(made.collectives, [](const CollectiveOrigin& row) {
      return !row.rule.empty() && !row.consumer.empty();
    });
    if (!explained) differs("reasons");
  }

  void compare_values(const Partitioned& made) {
    const Workers workers;
    if (golden_->arguments.size() != made.parameters.size()) return differs("arguments");
    const auto proof = prove(made, golden_->arguments, workers, {});
    if (!proof.ok()) return differs("run", proof.error().text());
    if (!proof->report.allclose)
      differs("verdict", proof->report.warnings.empty() ? "" : proof->report.warnings[0]);
    if (proof->leaves.size() != golden_->results.size()) return differs("results");
    for (size_t k = 0; k < proof->leaves.size(); ++k)
      if (!has_values_of(proof->leaves[k], golden_->results[k])) differs("values", std::to_string(k));
  }

  void compare_collectives(const Partitioned& made) {
    if (!golden_->collectives) return;
    std::map<std::string, int64_t> counts;
    for (const Computation& c : made.program->computations)
      for (const Instruction& i : c.instructions)
        if (is_collective(i.opcode)) ++counts[std::string(opcode_text(i.opcode))];
    if (counts == *golden_->collectives) return;
    std::string why;
    for (const auto& [kind, count] : counts) why += kind + "=" + std::to_string(count) + " ";
    why += "for";
    for (const auto& [kind, count] : *golden_->collectives) why += " " + kind + "=" + std::to_string(count);
    differs("collectives", why);
  }

  void compare_results(const Partitioned& made) {
    for (size_t k = 0; k < std::min(made.results.size(), golden_->results.size()); ++k) {
      if (golden_->results[k].sharding.empty()) continue;
      const auto spec = PartitionSpec::parse(golden_->results[k].sharding);
      if (!spec.ok()) continue;
      const auto named = NamedSharding::make(made.program->mesh, *spec);
      if (!named.ok()) continue;
      if (!(HloSharding::from(*named, golden_->results[k].dims.size()) == made.results[k]))
        differs("result-sharding", made.results[k].text() + " for " + golden_->results[k].sharding);
    }
  }

  // The gradient's module is partitioned and proved like any.
  void compare_gradient(const Program& module, const GoldenGradient& expected) {
    if (golden_->arguments.size() != parameter_ids(module.entry_computation()).size()) return;
    GradRequest request{"result." + std::to_string(expected.of), {}};
    for (const size_t by : expected.by) request.by.push_back(std::to_string(by));
    const auto gradients = gradient(module, request);
    if (!gradients.ok()) return differs("gradient", gradients.error().text());
    const auto made = partition(*gradients, {});
    if (!made.ok()) return differs("gradient", made.error().text());
    std::vector<Array> arguments = golden_->arguments;
    if (!expected.bar.dims().empty()) arguments.push_back(expected.bar);
    const Workers workers;
    const auto proof = prove(*made, arguments, workers, {});
    if (!proof.ok()) return differs("gradient", proof.error().text());
    if (!proof->report.allclose) differs("gradient", "the partitioned module differs from the whole one");
    for (size_t k = 0; k < proof->leaves.size(); ++k)
      if (!has_values_of(proof->leaves[k], expected.results[k]))
        differs("gradient", "by argument " + std::to_string(expected.by[k]));
  }

  void compare_spread(const Program& module, const PropagatedModule& spread) {
    std::map<int32_t, const Instruction*> by_line;
    for (const Instruction& i : spread.program->entry_computation().instructions)
      if (i.line > 0 && !i.shape.is_tuple) by_line[i.line] = &i;
    for (const auto& [line, said] : golden_->shardings) {
      const auto at = by_line.find(line);
      const size_t open = said.find("<["), close = said.rfind("]>");
      if (at == by_line.end() || open == std::string::npos || said.find(">, <") != std::string::npos)
        continue;
      const std::string one = "#sdy.sharding" + said.substr(open + 2, close - open - 2);
      const auto text = typed_sharding(one, module.mesh, at->second->shape);
      if (!text.ok()) continue;
      const auto theirs = HloSharding::parse(*text);
      const HloSharding ours = at->second->sharding ? *at->second->sharding : HloSharding();
      if (theirs.ok() && !(*theirs == ours))
        differs("spread", "line " + std::to_string(line) + ": " + ours.text() + " for " + theirs->text());
    }
  }

  const Golden* golden_ = nullptr;
  std::string form_, by_;
  const std::map<std::string, std::string> shardy_collectives_ = shardy_collectives();  // " all_gather=1"
  std::map<std::string, std::string> differences_;
};

std::set<std::string> known_differences() {
  std::set<std::string> out;
  std::ifstream in(differences_path());
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out.insert(line.substr(0, line.find(':')));
  return out;
}

TEST(Oracle, WhatJaxPrintsIsReadAndMeansWhatJaxSays) {
  Oracle oracle;
  const std::vector<std::string> names = golden_names();
  ASSERT_GE(names.size(), 150U);
  for (const std::string& name : names) oracle.look_at(read_golden(name));
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) {
    std::ofstream out(differences_path());
    out << "# What is otherwise than JAX, XLA's partitioner or Shardy: name, form, what: why. It only gets "
           "shorter.\n";
    for (const auto& [what, why] : oracle.differences())
      out << what << (why.empty() ? "" : ": " + why) << "\n";
    return;
  }
  std::set<std::string> known = known_differences();
  for (const auto& [what, why] : oracle.differences())
    EXPECT_EQ(known.erase(what), 1U) << what << ": " << why;
  for (const std::string& gone : known) ADD_FAILURE() << "no difference any more, take it out: " << gone;
}

}  // namespace
}  // namespace shardscope::oracle
