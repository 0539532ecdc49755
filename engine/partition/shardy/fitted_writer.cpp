// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/fitted_writer.h"

#include <algorithm>

#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

constexpr const char* kStep = "xla.sdy.step";

}  // namespace

std::shared_ptr<const FittedModule> fitted_stage(const StagePtr& last, StageKind kind) {
  return std::static_pointer_cast<const FittedModule>(stage_of(last, kind));
}

InstructionId FittedPage::add(Instruction instruction) {
  made_.push_back(std::move(instruction));
  return InstructionId(static_cast<int64_t>(made_.size()) - 1);
}

Computation FittedPage::close(const Computation& from, InstructionId root) && {
  Computation out;
  out.name = from.name;
  out.instructions = std::move(made_);
  out.root = root;
  return out;
}

FittedWriter::FittedWriter(StagePtr before, StageKind kind, Mesh mesh) : axes_(axis_mesh(mesh)) {
  out_.kind = kind;
  out_.before = std::move(before);
  out_.mesh = std::move(mesh);
}

std::string FittedWriter::unique(const std::string& base) {
  for (int64_t& number = numbers_[base];; ++number) {
    const std::string name = number == 0 ? base : base + "." + std::to_string(number);
    if (out_.before->program.number_of(name)) continue;
    ++number;
    return name;
  }
}

InstructionId FittedWriter::add(FittedPage& page, Instruction made, const std::string& source) {
  links_.emplace_back(made.name, source);
  return page.add(std::move(made));
}

Result<InstructionId> FittedWriter::add_copy(FittedPage& page, InstructionId value, const AxisSplit& to,
                                             const std::string& word, const Instruction& reader) {
  Instruction copy;
  copy.name = unique(word);
  copy.opcode = Opcode::copy;
  copy.shape = page.at(value).shape;
  copy.operands = {value};
  copy.line = reader.line;
  copy.provenance = reader.provenance;
  TRY(copy.sharding, to_hlo(axes_, to));
  std::vector<VerbatimAttribute> said;
  for (const VerbatimAttribute& a : *reader.verbatim)
    if (a.key == "metadata") said.push_back(a);
  copy.verbatim = with_frontend_attribute(std::move(said), kStep, word);
  return add(page, std::move(copy), reader.name);
}

Result<FittedModule> FittedWriter::done(Program program, const RenamedInstructions& renamed) && {
  TRY_VOID(verify(program));
  out_.program = SharedProgram(std::move(program));
  std::vector<StageLink> links;
  for (const auto& [made, source] : links_) {
    const auto from = out_.program.number_of(made),
               to = out_.before->program.number_of(written_name(renamed, source));
    if (from && to) links.push_back({*from, *to});
  }
  out_.links = StageLinks(std::move(links));
  return std::move(out_);
}

}  // namespace shardscope::inline partitioner
