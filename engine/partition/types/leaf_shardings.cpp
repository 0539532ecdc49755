// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/leaf_shardings.h"

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline partitioner {

void put_shardings(std::vector<HloSharding> leaves, Instruction& i) {
  i.verbatim = with_frontend_attribute(i.verbatim, kSdySharding, std::nullopt);
  i.verbatim.change([](auto& said) {
    std::erase_if(said, [](const VerbatimAttribute& a) { return a.key == "sharding"; });
  });
  i.sharding.reset();
  if (!i.shape.is_tuple) {
    i.sharding = std::move(leaves.front());
    return;
  }
  std::vector<std::string> parts;
  for (const HloSharding& leaf : leaves) parts.push_back(leaf.text());
  i.verbatim.edit().push_back({"sharding", "{" + join(parts, ", ") + "}"});
}

bool has_sharding(const Instruction& i) {
  return i.sharding.has_value() || verbatim_attribute(i, "sharding") != nullptr;
}

std::vector<Shape> leaves_of(const Shape& shape) {
  if (!shape.is_tuple) return {shape};
  std::vector<Shape> out;
  for (const Shape& element : shape.elements)
    for (Shape& leaf : leaves_of(element)) out.push_back(std::move(leaf));
  return out;
}

const Shape& nth_leaf(const Shape& shape, size_t n) {
  if (!shape.is_tuple) return shape;
  size_t element = 0;
  for (size_t count = leaf_count(shape.elements[0]); count <= n;
       count = leaf_count(shape.elements[element])) {
    n -= count;
    ++element;
  }
  return nth_leaf(shape.elements[element], n);
}

size_t leaf_count(const Shape& shape) {
  if (!shape.is_tuple) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements) count += leaf_count(element);
  return count;
}

Result<std::vector<HloSharding>> leaf_shardings(const Instruction& i) {
  const size_t leaves = leaf_count(i.shape);
  if (leaves == 0) return std::vector<HloSharding>();  // of what happens on a device, and gives nothing
  if (i.sharding) return std::vector<HloSharding>(leaves, *i.sharding);
  const std::string* text = verbatim_attribute(i, "sharding");
  if (text == nullptr) return std::vector<HloSharding>(leaves);
  if (is_tuple_sharding(*text)) {
    TRY(std::vector<HloSharding> out, HloSharding::parse_tuple(*text));
    if (out.size() == leaves) return out;
    return invalid("sharding " + *text + " has " + std::to_string(out.size()) + " parts, the shape has " +
                       std::to_string(leaves) + " arrays",
                   "instruction " + display_name(i));
  }
  TRY(const HloSharding one, HloSharding::parse(*text));
  return std::vector<HloSharding>(leaves, one);
}

}  // namespace shardscope::inline partitioner
