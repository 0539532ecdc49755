// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/attribute_order.h"

#include <algorithm>
#include <unordered_map>

#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kOfModules[] = {
    "is_scheduled",
    "input_output_alias",
    "buffer_donor",
    "alias_passthrough_params",
    "entry_computation_layout",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
    "replica_count",
    "num_partitions",
    "frontend_attributes",
    "",  // a key of no compiler that we know
};

// Every second number: a key may stand between two others.
using Places = std::unordered_map<std::string_view, int>;

Places places_of_rows() {
  Places out;
  int place = 0;
  for (const AttributeRow& row : attribute_rows())
    if (!out.contains(row.key)) out.emplace(row.key, row.beside ? place : place += 2);
  return out;
}

Places places_in_header() {
  Places out;
  for (const std::string_view key : kOfModules) out.emplace(key, static_cast<int>(2 * out.size()));
  return out;
}

int place_of(const Places& places, std::string_view key) {
  const auto found = places.find(key);
  return found == places.end() ? places.at("") : found->second;
}

}  // namespace

int place_among_attributes(const Instruction& instruction, std::string_view key) {
  static const Places kPlaces = places_of_rows();
  // Of a reduce-scatter the dimension stands behind what all reductions say.
  if (key == "dimensions" && without_async(opcode_text(instruction)) == "reduce-scatter")
    return kPlaces.at("use_global_device_ids") + 1;
  // Of a collective it stands behind what it calls, of a fusion before.
  if (key == "output_to_operand_aliasing" && is_collective(instruction.opcode))
    return kPlaces.at("to_apply") + 1;
  return place_of(kPlaces, key);
}

int place_in_header(std::string_view key) {
  static const Places kPlaces = places_in_header();
  return place_of(kPlaces, key);
}

void OrderedTexts::add(int place, std::string_view key, std::string_view value) {
  const size_t begin = text_.size();
  text_ += ", ";
  text_ += key;
  if (!value.empty()) {
    text_ += '=';
    text_ += value;
  }
  parts_.push_back({place, begin, text_.size()});
}

void OrderedTexts::append_to(std::string& out) {
  if (std::ranges::is_sorted(parts_, {}, &Part::place)) {
    out += text_;
  } else {
    std::ranges::stable_sort(parts_, {}, &Part::place);
    for (const Part& part : parts_) out.append(text_, part.begin, part.end - part.begin);
  }
  text_.clear();
  parts_.clear();
}

}  // namespace shardscope::inline program
