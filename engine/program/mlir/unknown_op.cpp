// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostText = 4000;  // characters of an operation that are kept

}  // namespace

// A custom call of the operation's name, which reads what its regions use from outside, too.
Result<void> lower_unknown_op(MlirCase& c) {
  std::vector<Shape> shapes = c.results();
  if (shapes.size() != static_cast<size_t>(c.op.result_count()))
    return c.error("is not known, and does not say the types of its results");
  std::vector<InstructionId> operands = c.operands;
  std::vector<const MlirRegion*> regions;
  for (const MlirRegion& region : c.op.regions) regions.push_back(&region);
  for (const std::string_view name : captured_names(regions)) {
    TRY(const InstructionId id, c.all.value(c.scope, name, c.op.place));
    if (std::ranges::count(operands, id) == 0) operands.push_back(id);
  }
  Shape shape = shapes.size() == 1 ? std::move(shapes.front()) : Shape::tuple(std::move(shapes));
  Instruction made = c.make(Opcode::custom_call, std::move(shape), std::move(operands));
  made.attributes = CustomCall{std::string(c.op.name)};
  std::string text(c.all.lexer().between(c.op.place, c.op.end));
  if (text.size() > kMostText) text = text.substr(0, kMostText) + "...";
  std::ranges::replace(text, '\n', ' ');
  made.verbatim.edit().push_back({"frontend_attributes", "{mlir.text=" + quote(text) + "}"});
  return c.give(std::move(made));
}

}  // namespace shardscope::inline program
