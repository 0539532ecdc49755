// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/open_ends.h"

#include "engine/base/text.h"

namespace shardscope::inline partitioner {
namespace {

bool holds(const std::vector<bool>& said, size_t place) {
  if (said.size() == 1) return said.front();
  return place < said.size() && said[place];
}

size_t leaves_of_shape(const Shape& shape) {
  if (!shape.is_tuple) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements) count += leaves_of_shape(element);
  return count;
}

// Which element of the outermost tuple the leaf is in.
size_t element_of(const Shape& shape, size_t leaf) {
  for (size_t k = 0; k < shape.elements.size(); ++k) {
    const size_t leaves = leaves_of_shape(shape.elements[k]);
    if (leaf < leaves) return k;
    leaf -= leaves;
  }
  return 0;
}

}  // namespace

bool OpenEnds::keeps(const Program& module, ComputationId computation, InstructionId instruction,
                     size_t leaf) const {
  if (computation != module.entry) return false;
  const Instruction& i = module.computation(computation).at(instruction);
  const size_t element = element_of(i.shape, leaf);
  if (module.entry_computation().root == instruction && !holds(results, element)) return true;
  if (i.opcode != Opcode::parameter) return false;
  // A single parameter that is a tuple is told element by element.
  const bool alone =
      i.shape.is_tuple && i.parameter_number == 0 && parameters.size() == i.shape.elements.size();
  return !holds(parameters, alone ? element : static_cast<size_t>(i.parameter_number));
}

std::vector<bool> allowed_one_by_one(std::string_view text) {
  text = trim(text);
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  std::vector<bool> out;
  for (const std::string& word : split(text, ',')) out.push_back(trim(word) != "false");
  if (out.empty()) out.push_back(true);
  return out;
}

}  // namespace shardscope::inline partitioner
