// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "engine/base/text.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/layout.h"

namespace shardscope::inline program {
namespace {

bool mentions(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

const Shape& first_leaf(const Shape& shape) {
  return shape.is_tuple && !shape.elements.empty() ? first_leaf(shape.elements.front()) : shape;
}

// A library's scratch memory is beside its result: bytes that nobody reads.
int64_t bytes_of(const Computation& caller, const Instruction& call, bool has_scratch) {
  int64_t bytes = moved_bytes(has_scratch ? first_leaf(call.shape) : call.shape);
  for (const InstructionId operand : call.operands) bytes += moved_bytes(caller.at(operand).shape);
  return bytes;
}

// By the dimension numbers that it carries, else as the result's size says: rows · columns · batch.
std::optional<DotSize> product_size(const Computation& caller, const Instruction& call) {
  if (call.operands.size() < 2) return std::nullopt;
  const Shape &lhs = caller.at(call.operands[0]).shape, &rhs = caller.at(call.operands[1]).shape;
  const Shape& result = first_leaf(call.shape);
  if (lhs.is_tuple || rhs.is_tuple || result.is_tuple || result.element_count() == 0) return std::nullopt;
  DotSize size;
  if (const auto contracted = config_dims(call, "lhs_contracting_dimensions", lhs.rank())) {
    for (const int64_t d : *contracted) size.k *= lhs.dims[static_cast<size_t>(d)];
    for (const int64_t d :
         config_dims(call, "lhs_batch_dimensions", lhs.rank()).value_or(std::vector<int64_t>()))
      size.batch *= lhs.dims[static_cast<size_t>(d)];
  } else {
    for (size_t d = 0; result.rank() > 2 && rhs.rank() == result.rank() && d + 2 < result.rank(); ++d)
      size.batch *= result.dims[d];
    const double square = static_cast<double>(lhs.element_count()) *
                          static_cast<double>(rhs.element_count()) /
                          static_cast<double>(result.element_count()) / static_cast<double>(size.batch);
    size.k = std::llround(std::sqrt(std::max(square, 1.0)));
  }
  const int64_t terms = std::max<int64_t>(1, size.k * size.batch);
  size.m = std::max<int64_t>(1, lhs.element_count() / terms);
  size.n = std::max<int64_t>(1, rhs.element_count() / terms);
  return size;
}

// Q·Kᵀ and P·V of queries and keys [..., places, width]; five such products on the way back.
std::vector<LocalProduct> attention_products(const Computation& caller, const Instruction& call) {
  if (call.operands.size() < 3) return {};
  const Shape &q = caller.at(call.operands[0]).shape, &k = caller.at(call.operands[1]).shape;
  if (q.is_tuple || k.is_tuple || q.rank() < 3 || k.rank() != q.rank()) return {};
  // Heads stand before the places or behind them; there are fewer of them.
  const auto places = [](const Shape& s) {
    const size_t rank = s.rank();
    return rank == 3 ? s.dims[1] : std::max(s.dims[rank - 2], s.dims[rank - 3]);
  };
  DotSize size;
  size.m = std::max<int64_t>(1, places(q));
  size.n = std::max<int64_t>(1, places(k));
  size.k = std::max<int64_t>(1, q.dims.back());
  size.batch = std::max<int64_t>(1, q.element_count() / (size.m * size.k));
  DotSize weighted = size;
  std::swap(weighted.n, weighted.k);
  const std::string target = custom_call_target(call);
  const bool back = mentions(target, "ackward") || mentions(target, "bwd");
  const Multiplied how = multiplied_by_library(caller, call);
  std::vector<LocalProduct> out(back ? 3 : 1, {size, how});
  out.resize(out.size() + (back ? 2 : 1), {weighted, how});
  return out;
}

bool is_free_target(std::string_view target) {
  const CustomTarget meaning = parse_custom_target(target);
  if (meaning == CustomTarget::sharding || meaning == CustomTarget::region_end ||
      meaning == CustomTarget::placement || meaning == CustomTarget::allocate ||
      meaning == CustomTarget::split_low || meaning == CustomTarget::split_high ||
      meaning == CustomTarget::combine || meaning == CustomTarget::zero_crop)
    return true;
  return target.starts_with("xla.sdy.");
}

bool is_product_target(std::string_view target) {
  return mentions(target, "gemm") || mentions(target, "matmul") || mentions(target, "Matmul") ||
         mentions(target, "MatMul");
}

bool is_attention_target(std::string_view target) {
  return mentions(target, "fmha") || mentions(target, "flash") || mentions(target, "Flash") ||
         mentions(target, "ttention");
}

}  // namespace

Multiplied multiplied_by_library(const Computation& caller, const Instruction& custom_call) {
  Multiplied out = multiplied_as(caller, custom_call);
  if (!out.precision) out.precision = ProductPrecision::standard;
  return out;
}

std::string time_not_known(std::string_view what) {
  return fmt::format(
      "{} is not known, nor how long it takes: counted are its operands and its result through memory, the "
      "least that it can take",
      what);
}

LocalWork called_work(const Computation& caller, const Instruction& call) {
  LocalWork out;
  const std::string target = custom_call_target(call);
  if (is_free_target(target)) return out;
  const bool product = is_product_target(target), attention = is_attention_target(target);
  out.bytes = bytes_of(caller, call, (product || attention) && call.shape.is_tuple);
  out.scratch = product && call.shape.is_tuple && target.starts_with("__cublas");
  if (custom_target(call) == CustomTarget::top_k) {
    out.assumptions.emplace_back("top-k reads its array once");
    return out;
  }
  // A kernel that says what it does, as Pallas writes it.
  const std::string_view estimate = config_behind(call, "cost_estimate");
  const auto of_estimate = [&](std::string_view key) {
    const size_t at = estimate.find(key);
    return at == std::string_view::npos ? std::nullopt : number_at(estimate.substr(at + key.size()));
  };
  if (const auto flops = of_estimate("flops")) {
    out.flops = *flops;
    if (const auto bytes = of_estimate("bytes_accessed"); bytes && *bytes < 9e18)
      out.bytes = static_cast<int64_t>(*bytes);
    out.assumptions.push_back("custom-call \"" + target + "\" takes what its own cost estimate says");
    return out;
  }
  if (attention) out.products = attention_products(caller, call);
  out.attention = !out.products.empty();
  if (!attention && product)
    if (const auto size = product_size(caller, call))
      out.products = {{*size, multiplied_by_library(caller, call)}};
  out.assumptions.push_back(
      out.products.empty() ? time_not_known("custom-call \"" + target + "\"") + ", unless --custom-call " +
                                 target + "=flops,bytes says more"
      : attention ? "custom-call \"" + target + "\" takes as long as the products of attention by its shapes"
                  : "custom-call \"" + target + "\" takes as long as the product of its operands");
  return out;
}

std::optional<int64_t> known_trip_count(const Instruction& loop) {
  const auto rounds = number_at(config_behind(loop, "known_trip_count"));
  if (!rounds || *rounds >= 9e15) return std::nullopt;
  return static_cast<int64_t>(*rounds);
}

}  // namespace shardscope::inline program
