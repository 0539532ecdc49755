// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/kernel_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"
#include "engine/program/ir/opcode.h"

namespace shardscope::inline measure {
namespace {

using enum MeasuredKind;

struct Row {
  std::string_view part;  // lower case
  MeasuredKind kind;
  std::string_view opcode;
};

// The first row that the name holds.
template <size_t N>
NamedKind first_of(const std::array<Row, N>& rows, std::string_view name) {
  const std::string lower = small_letters(name.substr(0, 400));
  for (const Row& row : rows)
    if (lower.find(row.part) != std::string::npos) return {row.kind, row.opcode, true};
  return {};
}

constexpr std::array kKernels{
    Row{"allreduce", collective, "all-reduce"},
    Row{"all_reduce", collective, "all-reduce"},
    Row{"allgather", collective, "all-gather"},
    Row{"all_gather", collective, "all-gather"},
    Row{"reducescatter", collective, "reduce-scatter"},
    Row{"reduce_scatter", collective, "reduce-scatter"},
    Row{"alltoall", collective, "all-to-all"},
    Row{"all_to_all", collective, "all-to-all"},
    Row{"nccldevkernel_broadcast", collective, "collective-broadcast"},
    Row{"ncclkernel_broadcast", collective, "collective-broadcast"},
    Row{"nccldevkernel_sendrecv", collective, "collective-permute"},
    Row{"ncclkernel_sendrecv", collective, "collective-permute"},
    Row{"nccl", collective, ""},
    Row{"rccl", collective, ""},
    Row{"memcpy", copy, "copy"},
    Row{"memset", copy, "broadcast"},
    Row{"convolve", other, "convolution"},
    Row{"implicit_gemm", other, "convolution"},
    Row{"implicit_convolve", other, "convolution"},
    Row{"fprop", other, "convolution"},
    Row{"dgrad", other, "convolution"},
    Row{"wgrad", other, "convolution"},
    Row{"fmha", other, ""},
    Row{"flash_", other, ""},
    Row{"splitkreduce", elementwise, "reduce"},
    Row{"gemm", product, "dot"},
    Row{"gemv", product, "dot"},
    Row{"cutlass", product, "dot"},
    Row{"xmma", product, "dot"},
    Row{"nvjet", product, "dot"},
    Row{"cijk_", product, "dot"},
    Row{"triton_tem_fused_mm", product, "dot"},
    Row{"triton_mm", product, "dot"},
    Row{"transpose", copy, "transpose"},
    Row{"catarray", copy, "concatenate"},
    Row{"copy_kernel", copy, "copy"},
    Row{"direct_copy", copy, "copy"},
    Row{"elementwise", elementwise, ""},
    Row{"softmax", elementwise, ""},
    Row{"layer_norm", elementwise, ""},
    Row{"layernorm", elementwise, ""},
    Row{"rms_norm", elementwise, ""},
    Row{"reduce", elementwise, "reduce"},
    Row{"multi_tensor_apply", elementwise, ""},
    Row{"indexselect", elementwise, "gather"},
    Row{"embedding", elementwise, "gather"},
    Row{"index", elementwise, ""},
    Row{"gelu", elementwise, ""},
    Row{"fillfunctor", elementwise, "broadcast"},
    Row{"triton_poi", elementwise, ""},
    Row{"triton_red", elementwise, ""},
    Row{"triton_per", elementwise, ""},
    Row{"loop_", elementwise, ""},
    Row{"input_", elementwise, ""},
    Row{"wrapped_", elementwise, ""},
};

constexpr std::array kCategories{
    Row{"all-reduce", collective, "all-reduce"},
    Row{"all-gather", collective, "all-gather"},
    Row{"reduce-scatter", collective, "reduce-scatter"},
    Row{"all-to-all", collective, "all-to-all"},
    Row{"collective-permute", collective, "collective-permute"},
    Row{"collective-broadcast", collective, "collective-broadcast"},
    Row{"convolution", product, "dot"},
    Row{"dot", product, "dot"},
    Row{"matmul", product, "dot"},
    Row{"copy", copy, "copy"},
    Row{"data formatting", copy, "copy"},
    Row{"elementwise", elementwise, ""},
    Row{"fusion", elementwise, ""},
    Row{"reduce", elementwise, "reduce"},
    Row{"broadcast", elementwise, "broadcast"},
};

constexpr std::array kInstructions{
    Row{"all-reduce", collective, "all-reduce"},
    Row{"all-gather", collective, "all-gather"},
    Row{"reduce-scatter", collective, "reduce-scatter"},
    Row{"all-to-all", collective, "all-to-all"},
    Row{"collective-permute", collective, "collective-permute"},
    Row{"gemm", product, "dot"},
    Row{"_dot", product, "dot"},
    Row{"cublas", product, "dot"},
    Row{"convolution", product, "dot"},
    Row{"transpose_fusion", copy, "transpose"},
    Row{"copy_fusion", copy, "copy"},
    Row{"loop_", elementwise, ""},
    Row{"input_", elementwise, ""},
    Row{"wrapped_", elementwise, ""},
};

// The collectives of jax.lax by their primitives (jax/_src/lax/parallel.py): what shard_map writes keeps
// these names in XLA. pshuffle is a ppermute, pmean a psum, psum_scatter a reduce_scatter; a cast of what a
// mesh axis varies over (pvary, pcast, preduced) and axis_index move nothing.
struct JaxCollective {
  std::string_view primitive, done;  // the opcode of its end
};
constexpr std::array kJaxCollectives{
    JaxCollective{"psum", "all-reduce-done"},
    JaxCollective{"psum2", "all-reduce-done"},  // JAX before 0.7
    JaxCollective{"psum_invariant", "all-reduce-done"},
    JaxCollective{"unreduced_psum", "all-reduce-done"},
    JaxCollective{"pmax", "all-reduce-done"},
    JaxCollective{"pmin", "all-reduce-done"},
    JaxCollective{"pmean", "all-reduce-done"},
    JaxCollective{"all_gather", "all-gather-done"},
    JaxCollective{"all_gather_invariant", "all-gather-done"},
    JaxCollective{"all_gather_reduced", "all-gather-done"},
    JaxCollective{"pgather", "all-gather-done"},
    JaxCollective{"reduce_scatter", "reduce-scatter-done"},
    JaxCollective{"unreduced_reduce_scatter", "reduce-scatter-done"},
    JaxCollective{"psum_scatter", "reduce-scatter-done"},
    JaxCollective{"all_to_all", "all-to-all-done"},
    JaxCollective{"pswapaxes", "all-to-all-done"},
    JaxCollective{"ragged_all_to_all", "ragged-all-to-all-done"},
    JaxCollective{"ppermute", "collective-permute-done"},
    JaxCollective{"pshuffle", "collective-permute-done"},
    JaxCollective{"collective_permute", "collective-permute-done"},
    JaxCollective{"pbroadcast", "collective-broadcast-done"},
    JaxCollective{"psend", "send-done"},
    JaxCollective{"precv", "recv-done"},
};

// `stem`: an instruction's name without its number.
NamedKind kind_of_jax_collective(std::string_view stem) {
  bool done = false;
  for (const std::string_view end : {"-start", "_start", "-done", "_done"}) {
    if (!stem.ends_with(end)) continue;
    stem.remove_suffix(end.size());
    done = end.ends_with("done");
    break;
  }
  for (const JaxCollective& row : kJaxCollectives)
    if (stem == row.primitive)
      return done ? NamedKind{other, row.done, true} : NamedKind{collective, without_half(row.done), true};
  return {};
}

constexpr std::array kOperators{
    Row{"aten::mm", product, "dot"},         Row{"aten::addmm", product, "dot"},
    Row{"aten::bmm", product, "dot"},        Row{"aten::baddbmm", product, "dot"},
    Row{"aten::linear", product, "dot"},     Row{"aten::matmul", product, "dot"},
    Row{"aten::_scaled_mm", product, "dot"}, Row{"aten::copy_", copy, "copy"},
    Row{"aten::clone", copy, "copy"},        Row{"aten::cat", copy, "concatenate"},
    Row{"aten::contiguous", copy, "copy"},   Row{"attention", other, ""},
    Row{"conv", other, "convolution"},       Row{"aten::", elementwise, ""},
};

}  // namespace

NamedKind kind_of_opcode(std::string_view opcode) {
  if (is_done_half(opcode)) return {other, opcode, true};
  const std::string_view whole = without_half(opcode);
  if (whole == "while" || whole == "conditional" || whole == "call") return {other, whole, true};
  const Opcode parsed = parse_opcode(whole);
  switch (operation(parsed).kind) {
    case OpClass::product:
      return {product, whole, true};
    case OpClass::collective:
      return {collective, whole, true};
    case OpClass::elementwise:
    case OpClass::reduction:
    case OpClass::indexed:
    case OpClass::transform:
      return {elementwise, whole, true};
    case OpClass::movement:
      return {copy, whole, true};
    case OpClass::source:
    case OpClass::tuple:
      return {elementwise, whole, true};
    default:
      return {};
  }
}

NamedKind kind_of_category(std::string_view category) {
  if (category.empty()) return {};
  const NamedKind exact = kind_of_opcode(category);
  return exact.known ? exact : first_of(kCategories, category);
}

NamedKind kind_of_instruction(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  const NamedKind exact = kind_of_opcode(stem);
  if (exact.known) return exact;
  const NamedKind of_jax = kind_of_jax_collective(stem);
  if (of_jax.known) return of_jax;
  NamedKind found = first_of(kInstructions, stem);
  if (is_done_half(stem)) found = {other, found.opcode, found.known};
  return found;
}

NamedKind kind_of_kernel(std::string_view name) {
  NamedKind found = first_of(kKernels, name);
  found.known = found.known && found.kind != other;  // an attention or a convolution is nothing that we time
  return found;
}

NamedKind kind_of_operator(std::string_view name) {
  NamedKind found = first_of(kOperators, name);
  found.known = found.known && found.kind != other;
  return found;
}

}  // namespace shardscope::inline measure
