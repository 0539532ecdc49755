// SPDX-License-Identifier: Apache-2.0
// Products of cuBLAS, with what follows them.
#include "engine/numerics/plan/library_writing.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline numerics {
namespace {

struct Matmul {
  DotDims dims;
  double alpha = 1, beta = 0;
  Activation activation = Activation::none;
  std::optional<size_t> added, bias;  // operands
  std::vector<size_t> scales;         // of 8-bit factors: operands that everything is multiplied by
  ElementType type = ElementType::f32;
};

Activation activation_of(std::string_view epilogue) {
  for (const auto& [word, activation] :
       {std::pair("DEFAULT", Activation::none), std::pair("BIAS", Activation::none),
        std::pair("", Activation::none), std::pair("RELU", Activation::relu),
        std::pair("BIAS_RELU", Activation::relu), std::pair("GELU", Activation::gelu),
        std::pair("BIAS_GELU", Activation::gelu), std::pair("SILU", Activation::silu),
        std::pair("BIAS_SILU", Activation::silu)})
    if (epilogue == word) return activation;
  return Activation::unknown;
}

std::optional<DotDims> dims_of(const Instruction& i, const Shape& lhs, const Shape& rhs) {
  DotDims out;
  for (const auto& [key, shape, into] :
       {std::tuple("lhs_batch_dimensions", &lhs, &out.lhs_batch),
        std::tuple("rhs_batch_dimensions", &rhs, &out.rhs_batch),
        std::tuple("lhs_contracting_dimensions", &lhs, &out.lhs_contracting),
        std::tuple("rhs_contracting_dimensions", &rhs, &out.rhs_contracting)}) {
    if (config_behind(i, key).empty()) continue;
    const auto dims = config_dims(i, key, shape->rank());
    if (!dims) return std::nullopt;
    *into = *dims;
  }
  return out.lhs_contracting.empty() ? std::nullopt : std::optional(out);
}

// Whether a product of these has the result's dimensions.
bool has_dims(const DotDims& dims, const Shape& lhs, const Shape& rhs, const Shape& result) {
  if (dims.lhs_batch.size() != dims.rhs_batch.size() ||
      dims.lhs_contracting.size() != dims.rhs_contracting.size())
    return false;
  std::vector<int64_t> expected;
  std::vector<bool> used_left(lhs.rank()), used_right(rhs.rank());
  const auto pairs = [&](const std::vector<int64_t>& left, const std::vector<int64_t>& right, bool batch) {
    for (size_t k = 0; k < left.size(); ++k) {
      const auto l = static_cast<size_t>(left[k]), r = static_cast<size_t>(right[k]);
      if (used_left[l] || used_right[r] || lhs.dims[l] != rhs.dims[r]) return false;
      used_left[l] = used_right[r] = true;
      if (batch) expected.push_back(lhs.dims[l]);
    }
    return true;
  };
  if (!pairs(dims.lhs_batch, dims.rhs_batch, true) ||
      !pairs(dims.lhs_contracting, dims.rhs_contracting, false))
    return false;
  for (size_t d = 0; d < lhs.rank(); ++d)
    if (!used_left[d]) expected.push_back(lhs.dims[d]);
  for (size_t d = 0; d < rhs.rank(); ++d)
    if (!used_right[d]) expected.push_back(rhs.dims[d]);
  return expected == result.dims;
}

// Behind the factors stand the array that is added where beta asks for one, scales of the factors and of the
// result (scalars), and a bias for each column.
std::optional<Matmul> matmul_of(const Computation& c, const Instruction& i) {
  if (custom_target(i) != CustomTarget::matmul || i.operands.size() < 2) return std::nullopt;
  const auto shape = [&](size_t k) -> const Shape& { return c.at(i.operands[k]).shape; };
  const Shape& result = first_of(i.shape);
  for (size_t k = 0; k < i.operands.size(); ++k)
    if (shape(k).is_tuple) return std::nullopt;
  const auto dims = dims_of(i, shape(0), shape(1));
  const auto type = is_complex(shape(0).type) ? shape(0).type : product_type(shape(0).type);
  if (!dims || !type || result.is_tuple || !has_dims(*dims, shape(0), shape(1), result)) return std::nullopt;
  Matmul out;
  out.dims = *dims;
  out.type = *type;
  out.alpha = config_number(i, "alpha_real", 1);
  out.beta = config_number(i, "\"beta\"", 0);
  const std::string_view epilogue = config_word(i, "epilogue");
  out.activation = activation_of(epilogue);
  if (out.activation == Activation::unknown || config_number(i, "alpha_imag", 0) != 0 ||
      config_word(i, "damax_output") == "true" || (is_complex(*type) && out.activation != Activation::none))
    return std::nullopt;
  for (size_t k = 2; k < i.operands.size(); ++k) {
    if (shape(k).rank() == 0)
      out.scales.push_back(k);
    else if (!out.added && out.beta != 0 && shape(k).dims == result.dims)
      out.added = k;
    else if (!out.bias && epilogue.starts_with("BIAS") && shape(k).rank() == 1 && result.rank() > 0 &&
             shape(k).dims[0] == result.dims.back())
      out.bias = k;
    else
      return std::nullopt;
  }
  // Of more scales than the factors' own some are of what is added.
  if (out.scales.size() > 2 && out.added) return std::nullopt;
  if ((out.beta != 0) != out.added.has_value() || epilogue.starts_with("BIAS") != out.bias.has_value())
    return std::nullopt;
  return out;
}

InstructionId write_matmul(const Matmul& m, const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, m.type);
  Instruction dot;
  dot.opcode = Opcode::dot;
  dot.shape = Shape::array(m.type, first_of(call.shape).dims);
  dot.operands = {call.operands[0], call.operands[1]};
  dot.dot = m.dims;
  InstructionId id = w.scaled(w.add(std::move(dot)), m.alpha);
  for (const size_t k : m.scales) id = w.op(Opcode::multiply, id, w.spread(call.operands[k], id));
  if (m.added) id = w.op(Opcode::add, id, w.scaled(w.converted(call.operands[*m.added], m.type), m.beta));
  if (m.bias) {
    const auto last = static_cast<int64_t>(first_of(call.shape).rank()) - 1;
    id = w.op(Opcode::add, id, w.spread(call.operands[*m.bias], id, last));
  }
  return w.finished(w.activated(id, m.activation));
}

}  // namespace

std::optional<LibraryCall> library_product(const Computation& computation, const Instruction& call) {
  const auto product = matmul_of(computation, call);
  if (!product) return std::nullopt;
  return
      [product](const Instruction& i, const CallWriter& writer) { return write_matmul(*product, i, writer); };
}

}  // namespace shardscope::inline numerics
