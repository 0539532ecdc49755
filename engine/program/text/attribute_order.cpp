// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/attribute_order.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace shardscope {
namespace {

// What an operation says of itself, what it calls, and what everything may say. Keys on one line are never
// told apart: they stand as they came.
constexpr std::string_view kOfInstructions[] = {
    "async_execution_thread",
    "cross_program_prefetch_index",
    "parameter_replication",
    "channel_id",
    "is_host_transfer",
    "replica_groups",
    "constrain_layout",
    "source_target_pairs",
    "dimensions",
    "use_global_device_ids",
    "is_stable",
    "index",
    "iota_dimension",
    "inferred_dimension",
    "slice",
    "dynamic_slice_sizes",
    "padding",
    "direction",
    "type",
    "lhs_batch_dims",
    "lhs_contracting_dims",
    "rhs_batch_dims",
    "rhs_contracting_dims",
    "lhs_ragged_dims",
    "rhs_group_dims",
    "offset_dims",
    "collapsed_slice_dims",
    "start_index_map",
    "operand_batching_dims",
    "start_indices_batching_dims",
    "update_window_dims",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "index_vector_dim",
    "slice_sizes",
    "indices_are_sorted",
    "unique_indices",
    "window",
    "dim_labels",
    "feature_group_count",
    "batch_group_count",
    "operand_precision",
    "padding_type",
    "custom_call_target",
    "operand_layout_constraints",
    "custom_call_has_side_effect",
    "literal",
    "schedule",
    "kind",
    "output_to_operand_aliasing",
    "api_version",
    "left_side",
    "lower",
    "unit_diagonal",
    "transpose_a",
    "exponent_bits",
    "mantissa_bits",
    "distribution",
    "fft_type",
    "fft_length",
    "epsilon",
    "feature_index",
    "outfeed_shape",
    "infeed_config",
    "outfeed_config",
    "k",
    "largest",
    "result_accuracy",
    "",  // a key of no compiler that we know
    "condition",
    "body",
    "select",
    "scatter",
    "true_computation",
    "false_computation",
    "branch_computations",
    "to_apply",
    "called_computations",
    "calls",
    "is_composite",
    "sharding",
    "frontend_attributes",
    "control-predecessors",
    "statistics",
    "origin",
    "metadata",
    "backend_config",
};

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

using Places = std::unordered_map<std::string_view, int>;

// Every second number: a key may stand between two others.
Places places_of(std::span<const std::string_view> keys) {
  Places out;
  for (size_t k = 0; k < keys.size(); ++k) out.emplace(keys[k], static_cast<int>(2 * k));
  return out;
}

int place_of(const Places& places, std::string_view key) {
  const auto found = places.find(key);
  return found == places.end() ? places.at("") : found->second;
}

}  // namespace

int place_among_attributes(const Instruction& instruction, std::string_view key) {
  static const Places kPlaces = places_of(kOfInstructions);
  // Of a reduce-scatter the dimension stands behind what all reductions say.
  static const int kBehindIds = kPlaces.at("use_global_device_ids") + 1;
  const bool scatters = instruction.opcode == Opcode::reduce_scatter ||
                        (instruction.opcode == Opcode::unknown &&
                         std::string_view(instruction.opcode_name).starts_with("reduce-scatter"));
  if (scatters && key == "dimensions") return kBehindIds;
  // Of a collective it stands behind what it calls, of a fusion before.
  static const int kBehindCalls = kPlaces.at("to_apply") + 1;
  if (key == "output_to_operand_aliasing" && is_collective(instruction.opcode)) return kBehindCalls;
  // A product's algorithm is said beside its precision, a generator's alone.
  return place_of(kPlaces, key == "algorithm" ? "operand_precision" : key);
}

int place_in_header(std::string_view key) {
  static const Places kPlaces = places_of(kOfModules);
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

}  // namespace shardscope
