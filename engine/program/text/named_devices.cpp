// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/named_devices.h"

#include <algorithm>
#include <charconv>

#include "engine/base/units.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline program {
namespace {

int64_t behind_last(const std::vector<int64_t>& devices) {
  return devices.empty() ? 0 : *std::ranges::max_element(devices) + 1;
}

int64_t named_by_collective(const Instruction& i) {
  int64_t named = behind_last(i.replica_groups->tiles.devices);
  for (const auto& group : i.replica_groups->ragged) named = std::max(named, behind_last(group));
  if (i.permutation == nullptr) return named;
  for (const SourceTarget& pair : i.permutation->pairs())
    named = std::max(named, int64_t{std::max(pair.source.value, pair.target.value)} + 1);
  return named;
}

int64_t named_by(const HloSharding& sharding) {
  return sharding.kind == HloSharding::Kind::maximal ? sharding.device + 1 : sharding.device_count();
}

int64_t named_by_sharding(const Instruction& i) {
  if (i.sharding) return named_by(*i.sharding);
  const std::string* text = verbatim_attribute(i, "sharding");
  if (text == nullptr) return 0;
  if (!is_tuple_sharding(*text)) {
    const auto one = HloSharding::parse(*text);
    return one.ok() ? named_by(*one) : 0;
  }
  int64_t named = 0;
  if (const auto leaves = HloSharding::parse_tuple(*text); leaves.ok())
    for (const HloSharding& leaf : *leaves) named = std::max(named, named_by(leaf));
  return named;
}

// Of {mesh = #sdy.mesh<["x"=4, "y"=2]>} the largest product of sizes.
int64_t named_by_meshes(std::string_view text) {
  int64_t named = 0;
  for (size_t at = text.find("mesh<["); at != std::string_view::npos; at = text.find("mesh<[", at + 1)) {
    const std::string_view axes = text.substr(at, text.find(']', at) - at);
    int64_t product = 1;
    for (size_t equals = axes.find('='); equals != std::string_view::npos;
         equals = axes.find('=', equals + 1)) {
      int64_t size = 0;
      std::from_chars(axes.data() + equals + 1, axes.data() + axes.size(), size);
      product = checked_multiply(product, std::max(size, int64_t{1})).value_or(0);
    }
    named = std::max(named, product);
  }
  return named;
}

// The largest that `count` says of any instruction.
template <class Count>
int64_t largest(const Program& program, Count count) {
  int64_t named = 0;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) named = std::max(named, count(i));
  return named;
}

}  // namespace

int64_t named_devices(const Program& program) {
  int64_t named = largest(program, named_by_collective);
  if (named == 0) return 0;
  named = std::max(named, largest(program, named_by_sharding));
  for (const VerbatimAttribute& a : program.verbatim)
    if (a.key == "frontend_attributes") named = std::max(named, named_by_meshes(a.value));
  return named;
}

}  // namespace shardscope::inline program
