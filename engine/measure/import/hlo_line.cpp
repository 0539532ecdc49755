// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/hlo_line.h"

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/program/analysis/async_pairs.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kLongestLine = 1 << 16;
constexpr size_t kMostOperands = 64;

// The place of the bracket that closes the one at `open`; npos without one.
size_t closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The place of the first `sign` outside of brackets, from `from` on.
size_t find_outside(std::string_view text, char sign, size_t from) {
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == sign && depth == 0) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return std::string_view::npos;
}

// Dimensions whose product, with eight bytes an element, is a number.
bool is_small(const Shape& shape) {
  if (shape.is_tuple)
    return shape.elements.size() <= kMostOperands && std::ranges::all_of(shape.elements, is_small);
  double elements = 1;
  for (const int64_t d : shape.dims) elements *= static_cast<double>(std::max<int64_t>(d, 0));
  return elements < 0x1p50;
}

std::optional<Shape> parse_shape(std::string_view text) {
  const Result<Shape> shape = Shape::parse(trim(text));
  if (!shape.ok() || !is_small(*shape)) return std::nullopt;
  return *shape;
}

std::vector<Shape> parse_operands(std::string_view text) {
  std::vector<Shape> out;
  for (size_t at = 0; at < text.size() && out.size() < kMostOperands;) {
    const size_t end = std::min(find_outside(text, ',', at), text.size());
    const std::string_view operand = trim(text.substr(at, end - at));
    const size_t name = find_outside(operand, '%', 0);
    if (const auto shape = parse_shape(operand.substr(0, name)); shape && name != std::string_view::npos)
      out.push_back(*shape);
    at = end + 1;
  }
  return out;
}

// "0,2" behind `key`, up to the bracket that closes.
std::optional<std::vector<int64_t>> list_of(std::string_view attributes, std::string_view key) {
  const size_t at = attributes.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t open = at + key.size();
  std::vector<int64_t> out;
  for (const std::string& part : split(attributes.substr(open, attributes.find('}', open) - open), ','))
    if (const auto value = parse_int(trim(part))) out.push_back(*value);
  return out;
}

const Shape* first_array(const Shape& shape) {
  if (!shape.is_tuple) return &shape;
  for (const Shape& element : shape.elements)
    if (const Shape* found = first_array(element)) return found;
  return nullptr;
}

int64_t elements(const Shape& shape) {
  return shape.is_tuple ? 0 : shape.element_count();
}

}  // namespace

std::string plain_text(const Shape& shape) {
  if (!shape.is_tuple) return std::string(name(shape.type)) + "[" + join(shape.dims, ",") + "]";
  std::vector<std::string> parts;
  for (const Shape& element : shape.elements) parts.push_back(plain_text(element));
  return "(" + join(parts, ", ") + ")";
}

std::optional<HloLine> HloLine::parse(std::string_view text) {
  if (text.size() > kLongestLine) return std::nullopt;
  const size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(text.substr(equals + 3));
  const size_t shape_end = find_outside(rest, ' ', 0);
  if (shape_end == std::string_view::npos) return std::nullopt;
  const auto result = parse_shape(rest.substr(0, shape_end));
  const size_t open = rest.find('(', shape_end);
  if (!result || open == std::string_view::npos) return std::nullopt;
  const size_t close = std::min(closing(rest, open), rest.size());
  HloLine out;
  out.result = *result;
  out.opcode = trim(rest.substr(shape_end, open - shape_end));
  out.operands = parse_operands(rest.substr(open + 1, close - open - 1));
  out.attributes = rest.substr(std::min(close + 1, rest.size()));
  return out;
}

std::string HloLine::element_type() const {
  for (const Shape& operand : operands)
    if (const Shape* array = first_array(operand)) return name(array->type);
  const Shape* array = first_array(result);
  return array == nullptr ? "" : name(array->type);
}

std::string HloLine::shapes(bool is_product) const {
  std::vector<std::string> parts;
  for (const Shape& operand : operands) parts.push_back(plain_text(operand));
  if (parts.size() > 8) parts.resize(8);
  if (is_product && parts.size() == 2) return join(parts, " × ");
  return parts.empty() ? plain_text(result) : join(parts, ", ") + " → " + plain_text(result);
}

int64_t HloLine::whole_bytes() const {
  int64_t in = 0;
  for (const Shape& operand : operands) in += operand.bytes();
  if (!opcode.ends_with("-start")) return std::max(in, result.bytes());
  // The result of a starting half holds its operand too.
  const Opcode plain = parse_opcode(opcode.substr(0, opcode.size() - 6));
  return std::max(in, started_result(plain, result, operands.size()).bytes());
}

int64_t HloLine::read_and_written() const {
  int64_t out = result.bytes();
  for (const Shape& operand : operands) out += operand.bytes();
  return out;
}

int32_t HloLine::group() const {
  if (const auto first = list_of(attributes, "replica_groups={{"); first && !first->empty())
    return static_cast<int32_t>(first->size());
  const std::string_view key = "replica_groups=[";
  const size_t at = attributes.find(key);
  if (at == std::string_view::npos) return 0;
  const size_t open = at + key.size();
  const auto parts = split(attributes.substr(open, attributes.find(']', open) - open), ',');
  const auto size = parts.size() == 2 ? parse_int(parts[1]) : std::nullopt;
  return size && *size > 0 && *size < (1 << 24) ? static_cast<int32_t>(*size) : 0;
}

std::optional<ProductSize> HloLine::dot_size() const {
  const auto contracted = list_of(attributes, "lhs_contracting_dims={");
  if (opcode != "dot" || !contracted || operands.size() < 2) return std::nullopt;
  const auto batched = list_of(attributes, "lhs_batch_dims={").value_or(std::vector<int64_t>{});
  ProductSize out;
  const Shape& lhs = operands[0];
  const auto along = [&](int64_t dim) { return lhs.dims[static_cast<size_t>(dim)]; };
  const auto has = [&](int64_t dim) { return dim >= 0 && dim < static_cast<int64_t>(lhs.dims.size()); };
  std::optional<int64_t> k = 1, batch = 1;
  for (const int64_t dim : *contracted)
    if (has(dim) && k) k = checked_multiply(*k, along(dim));
  for (const int64_t dim : batched)
    if (has(dim) && batch) batch = checked_multiply(*batch, along(dim));
  if (!k || !batch) return std::nullopt;
  out.k = *k;
  out.batch = *batch;
  const int64_t shared = checked_multiply(*k, *batch).value_or(0);
  if (shared <= 0 || elements(lhs) % shared != 0 || elements(operands[1]) % shared != 0) return std::nullopt;
  out.m = elements(lhs) / shared;
  out.n = elements(operands[1]) / shared;
  return out;
}

std::optional<ProductSize> HloLine::product(double flops) const {
  if (const auto size = dot_size()) return size;
  const Shape* made = first_array(result);
  if (flops <= 0 || made == nullptr || made->dims.empty() || elements(*made) <= 0) return std::nullopt;
  const double k = flops / 2 / static_cast<double>(elements(*made));
  if (k < 1 || k > 0x1p40 || k != std::floor(k)) return std::nullopt;
  const auto depth = static_cast<int64_t>(k);
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = 0; j < operands.size(); ++j) {
      const int64_t left = elements(operands[i]), right = elements(operands[j]);
      if (i == j || left % depth != 0 || right % depth != 0 || left / depth == 0) continue;
      if (checked_multiply(left / depth, right / depth) != elements(*made)) continue;
      if (operands[i].dims.empty() || operands[i].dims.front() != made->dims.front()) continue;  // rows first
      return ProductSize{1, left / depth, depth, right / depth};
    }
  }
  return std::nullopt;
}

}  // namespace shardscope::inline measure
