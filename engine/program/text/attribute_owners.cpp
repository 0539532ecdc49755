// SPDX-License-Identifier: Apache-2.0
// Which operations HLO has beside those of operations.def, and which attributes go with which operation.
#include <bitset>
#include <unordered_map>
#include <unordered_set>

#include "engine/program/ir/op_table.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope {
namespace {

// Operations of HLO that we read and print, and know nothing else of.
constexpr std::string_view kNamedOnly[] = {
    "batch-norm-grad",
    "batch-norm-inference",
    "batch-norm-training",
    "dynamic-reshape",
    "infeed",
    "outfeed",
    "recv",
    "recv-done",
    "rng",
    "rng-get-and-update-state",
    "scaled-dot",
    "scan",
    "send",
    "send-done",
    "set-dimension-size",
    "stochastic-convert",
};

// Which operations have an attribute.
struct AttributeRow {
  std::string_view key, operations;
};
constexpr std::string_view kCollectives =
    "all-gather all-reduce reduce-scatter all-to-all ragged-all-to-all collective-broadcast "
    "collective-permute send recv send-done recv-done";
constexpr std::string_view kInexact =
    "exponential exponential-minus-one log log-plus-one tanh logistic sqrt rsqrt cbrt sine cosine tan erf "
    "asin acos asinh acosh atanh sinh cosh atan2";
constexpr AttributeRow kAttributes[] = {
    {"dimensions",
     "all-gather all-to-all broadcast concatenate reduce reduce-scatter reverse transpose sort map "
     "get-dimension-size set-dimension-size scan"},
    {"iota_dimension", "iota"},
    {"index", "get-tuple-element"},
    {"slice", "slice custom-call"},
    {"dynamic_slice_sizes", "dynamic-slice"},
    {"padding", "pad"},
    {"direction", "compare"},
    {"lhs_batch_dims", "dot ragged-dot scaled-dot"},
    {"rhs_batch_dims", "dot ragged-dot scaled-dot"},
    {"lhs_contracting_dims", "dot ragged-dot scaled-dot"},
    {"rhs_contracting_dims", "dot ragged-dot scaled-dot"},
    {"window", "convolution reduce-window select-and-scatter custom-call"},
    {"dim_labels", "convolution custom-call"},
    {"feature_group_count", "convolution custom-call"},
    {"batch_group_count", "convolution custom-call"},
    {"offset_dims", "gather"},
    {"collapsed_slice_dims", "gather"},
    {"start_index_map", "gather"},
    {"operand_batching_dims", "gather"},
    {"start_indices_batching_dims", "gather"},
    {"slice_sizes", "gather collective-permute"},
    {"index_vector_dim", "gather scatter"},
    {"indices_are_sorted", "gather scatter"},
    {"update_window_dims", "scatter"},
    {"inserted_window_dims", "scatter"},
    {"scatter_dims_to_operand_dims", "scatter"},
    {"input_batching_dims", "scatter"},
    {"scatter_indices_batching_dims", "scatter"},
    {"unique_indices", "scatter"},
    {"custom_call_target", "custom-call"},
    {"custom_call_has_side_effect", "custom-call"},
    {"operand_layout_constraints", "custom-call"},
    {"api_version", "custom-call"},
    {"called_computations", "custom-call"},
    {"kind", "fusion"},
    {"calls", "fusion async"},
    {"to_apply",
     "call reduce reduce-window map sort scatter all-reduce reduce-scatter custom-call topk scan"},
    {"condition", "while"},
    {"body", "while"},
    {"branch_computations", "conditional"},
    {"true_computation", "conditional"},
    {"false_computation", "conditional"},
    {"replica_groups", kCollectives},
    {"source_target_pairs", kCollectives},
    {"channel_id", kCollectives},
    {"use_global_device_ids", kCollectives},
    {"constrain_layout", kCollectives},
    {"is_stable", "sort"},
    {"exponent_bits", "reduce-precision"},
    {"mantissa_bits", "reduce-precision"},
    {"left_side", "triangular-solve"},
    {"lower", "cholesky triangular-solve"},
    {"unit_diagonal", "triangular-solve"},
    {"transpose_a", "triangular-solve"},
    {"select", "select-and-scatter"},
    {"scatter", "select-and-scatter"},
    {"distribution", "rng"},
    {"is_host_transfer", kCollectives},
    {"fft_type", "fft"},
    {"fft_length", "fft"},
    {"k", "topk"},
    {"largest", "topk"},
    {"epsilon", "batch-norm-grad batch-norm-inference batch-norm-training"},
    {"feature_index", "batch-norm-grad batch-norm-inference batch-norm-training"},
    {"delta", "rng-get-and-update-state"},
    {"num_carries", "scan"},
    {"is_reverse", "scan"},
    {"is_associative", "scan"},
    {"result_accuracy", kInexact},
};

bool takes(std::string_view operations, std::string_view name) {
  return has_word(operations, name) || has_word(operations, without_async(name));
}

struct Owners {
  std::string_view operations;
  std::bitset<kOpcodes> known;
};

const std::unordered_map<std::string_view, Owners>& owners() {
  static const auto rows = [] {
    std::unordered_map<std::string_view, Owners> out;
    for (const AttributeRow& row : kAttributes) {
      Owners& owners = out[row.key];
      owners.operations = row.operations;
      for (const Operation& o : operations())
        owners.known[static_cast<size_t>(o.opcode)] = takes(row.operations, o.text);
    }
    return out;
  }();
  return rows;
}

using Needed = std::span<const std::string_view>;
constexpr std::string_view kIota[] = {"iota_dimension"};
constexpr std::string_view kIndex[] = {"index"};
constexpr std::string_view kDimensions[] = {"dimensions"};
constexpr std::string_view kSlice[] = {"slice"};
constexpr std::string_view kSizes[] = {"dynamic_slice_sizes"};
constexpr std::string_view kPadding[] = {"padding"};
constexpr std::string_view kDirection[] = {"direction"};
constexpr std::string_view kLabels[] = {"dim_labels"};
constexpr std::string_view kReduce[] = {"dimensions", "to_apply"};
constexpr std::string_view kApply[] = {"to_apply"};
constexpr std::string_view kSelects[] = {"select", "scatter"};
constexpr std::string_view kCalls[] = {"calls"};
constexpr std::string_view kLoop[] = {"condition", "body"};
constexpr std::string_view kTarget[] = {"custom_call_target"};
constexpr std::string_view kPairs[] = {"source_target_pairs"};
constexpr std::string_view kBits[] = {"exponent_bits", "mantissa_bits"};
constexpr std::string_view kTransform[] = {"fft_type", "fft_length"};
constexpr std::string_view kGatherNeeds[] = {"offset_dims", "collapsed_slice_dims", "start_index_map",
                                             "index_vector_dim", "slice_sizes"};
constexpr std::string_view kScatterNeeds[] = {"update_window_dims", "inserted_window_dims",
                                              "scatter_dims_to_operand_dims", "index_vector_dim", "to_apply"};

}  // namespace

// What an asynchronous operation carries out: "add" of "add-start", "async" of async-start.
std::string_view without_async(std::string_view name) {
  for (const std::string_view end : {"-start", "-update", "-done"})
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return name;
}

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const bool starts = at == 0 || words[at - 1] == ' ';
    const size_t end = at + word.size();
    if (starts && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

bool is_hlo_opcode(std::string_view name) {
  static const std::unordered_set<std::string_view> named(std::begin(kNamedOnly), std::end(kNamedOnly));
  const std::string_view plain = without_async(name);
  return parse_opcode(name) != Opcode::unknown || parse_opcode(plain) != Opcode::unknown ||
         named.contains(name) || named.contains(plain);
}

bool takes_attribute(const Instruction& instruction, std::string_view key) {
  const auto row = owners().find(key);
  if (row == owners().end()) return true;
  if (instruction.opcode != Opcode::unknown)
    return row->second.known[static_cast<size_t>(instruction.opcode)];
  return takes(row->second.operations, instruction.opcode_name) ||
         (key == "calls" && without_async(instruction.opcode_name) != instruction.opcode_name);
}

std::span<const std::string_view> needed_attributes(Opcode opcode) {
  static const OpTable<Needed> rows({}, {{Opcode::iota, kIota},
                                         {Opcode::get_tuple_element, kIndex},
                                         {Opcode::transpose, kDimensions},
                                         {Opcode::reverse, kDimensions},
                                         {Opcode::concatenate, kDimensions},
                                         {Opcode::slice, kSlice},
                                         {Opcode::dynamic_slice, kSizes},
                                         {Opcode::pad, kPadding},
                                         {Opcode::compare, kDirection},
                                         {Opcode::convolution, kLabels},
                                         {Opcode::reduce, kReduce},
                                         {Opcode::reduce_window, kApply},
                                         {Opcode::reduce_precision, kBits},
                                         {Opcode::fft, kTransform},
                                         {Opcode::gather, kGatherNeeds},
                                         {Opcode::scatter, kScatterNeeds},
                                         {Opcode::select_and_scatter, kSelects},
                                         {Opcode::map, kApply},
                                         {Opcode::get_dimension_size, kDimensions},
                                         {Opcode::sort, kApply},
                                         {Opcode::call, kApply},
                                         {Opcode::fusion, kCalls},
                                         {Opcode::while_, kLoop},
                                         {Opcode::custom_call, kTarget},
                                         {Opcode::all_reduce, kApply},
                                         {Opcode::all_reduce_start, kApply},
                                         {Opcode::reduce_scatter, kReduce},
                                         {Opcode::all_gather, kDimensions},
                                         {Opcode::collective_permute, kPairs}});
  return rows[opcode];
}

}  // namespace shardscope
