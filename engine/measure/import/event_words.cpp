// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/event_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/element_type.h"
#include "engine/base/text.h"
#include "engine/measure/import/hlo_line.h"
#include "engine/measure/import/kernel_table.h"

namespace shardscope::inline measure {
namespace {

MeasuredOperation operation_of(const NamedKind& kind) {
  MeasuredOperation out;
  out.kind = kind.kind;
  out.opcode = kind.opcode;
  out.matched = kind.known;
  return out;
}

// The most telling words first: the instruction's own text, its category, its name; else the event's name,
// which on a GPU is the kernel's.
NamedKind kind_of(const HloWords& words, const std::optional<HloLine>& line) {
  NamedKind found;
  if (line) found = kind_of_opcode(line->opcode);
  if (!found.known) found = kind_of_category(words.category);
  if (!found.known && !words.hlo_op.empty()) found = kind_of_instruction(words.hlo_op);
  if (!found.known) found = kind_of_instruction(words.name);
  if (!found.known) found = kind_of_kernel(words.name);
  return found;
}

void put_shapes(const HloLine& line, double flops, MeasuredOperation& out) {
  out.dtype = line.element_type();
  out.shapes = line.shapes(out.kind == MeasuredKind::product);
  if (out.kind == MeasuredKind::collective) {
    out.bytes = line.whole_bytes();
    out.group = line.group();
  } else {
    if (out.bytes == 0) out.bytes = line.read_and_written();
  }
  if (out.kind != MeasuredKind::product) return;
  if (const auto size = line.product(flops)) {
    out.batch = size->batch, out.m = size->m, out.k = size->k, out.n = size->n;
  }
}

std::string_view without_percent(std::string_view name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

}  // namespace

bool is_done_half(std::string_view opcode) {
  return opcode.substr(0, opcode.find('.')).ends_with("-done");
}

std::string_view without_half(std::string_view opcode) {
  for (const std::string_view end : {"-start", "-done", "-update"})
    if (opcode.ends_with(end)) return opcode.substr(0, opcode.size() - end.size());
  return opcode;
}

MeasuredOperation describe_hlo(const HloWords& words) {
  const std::optional<HloLine> line = HloLine::parse(words.long_name);
  MeasuredOperation out = operation_of(kind_of(words, line));
  const std::string_view op = words.hlo_op.empty() ? words.name : words.hlo_op;
  out.op = without_percent(op);
  out.module = words.module;
  out.flops = std::max(0.0, words.flops);
  out.bytes = std::max<int64_t>(0, words.bytes_accessed);
  if (out.kind == MeasuredKind::collective) out.bytes = 0;  // what it reads says nothing of what it carries
  if (line)
    put_shapes(*line, out.flops, out);
  else
    out.shapes = words.shape;
  return out;
}

std::string element_type_name(std::string_view words) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 38> kNames{{
      {"BFloat16", "bf16"},     {"bfloat16", "bf16"},   {"Half", "f16"},
      {"half", "f16"},          {"float16", "f16"},     {"Float", "f32"},
      {"float", "f32"},         {"float32", "f32"},     {"Double", "f64"},
      {"double", "f64"},        {"float64", "f64"},     {"Long", "s64"},
      {"long", "s64"},          {"int64", "s64"},       {"Int", "s32"},
      {"int", "s32"},           {"int32", "s32"},       {"Short", "s16"},
      {"Char", "s8"},           {"signed char", "s8"},  {"int8", "s8"},
      {"Byte", "u8"},           {"uint8", "u8"},        {"unsigned char", "u8"},
      {"uint32", "u32"},        {"uint64", "u64"},      {"Bool", "pred"},
      {"bool", "pred"},         {"long int", "s64"},    {"Float8_e4m3fn", "f8e4m3fn"},
      {"fp8_e4m3", "f8e4m3fn"}, {"f8e4m3", "f8e4m3fn"}, {"Float8_e5m2", "f8e5m2"},
      {"fp8_e5m2", "f8e5m2"},   {"f8e5m2", "f8e5m2"},   {"fp16", "f16"},
      {"bf16", "bf16"},         {"fp32", "f32"},
  }};
  if (words.starts_with("c10::")) words.remove_prefix(5);
  for (const auto& [name, hlo] : kNames)
    if (words == name) return std::string(hlo);
  return parse_element_type(words) ? std::string(words) : "";
}

std::string collective_opcode(std::string_view words) {
  const NamedKind kind = kind_of_kernel(words);
  if (kind.kind == MeasuredKind::collective) return std::string(kind.opcode);
  if (words.find("broadcast") != std::string_view::npos) return "collective-broadcast";
  if (words.find("sendrecv") != std::string_view::npos) return "collective-permute";
  if (words == "send" || words == "recv") return std::string(words);
  return "";
}

MeasuredOperation describe_kernel(std::string_view name) {
  MeasuredOperation out = operation_of(kind_of_kernel(name));
  out.op = name;
  return out;
}

namespace {

using Dims = std::vector<int64_t>;

// "[[1024,512],[],[512,256]]"; a list of tensors among them counts as one without dimensions.
std::vector<Dims> parse_dims(std::string_view text) {
  std::vector<Dims> out;
  int depth = 0;
  std::string number;
  const auto end_number = [&] {
    if (const auto value = parse_int(number); value && depth == 2 && !out.empty())
      out.back().push_back(*value);
    number.clear();
  };
  for (const char c : text) {
    if (c == '[' && ++depth == 2) out.emplace_back();
    if (c == ',' || c == ']') end_number();
    if (c == ']') --depth;
    if ((c >= '0' && c <= '9') || c == '-') number += c;
  }
  return out;
}

std::vector<std::string> parse_types(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    const size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.push_back(element_type_name(text.substr(at + 1, end - at - 1)));
    at = end;
  }
  return out;
}

// Where the two factors stand among an operator's inputs.
size_t first_factor(std::string_view op) {
  return op == "aten::addmm" || op == "aten::baddbmm" || op == "aten::addmm_" ? 1 : 0;
}

struct Factors {
  Dims lhs, rhs;
  bool transposed = false;  // rhs is [n, k]
};

std::optional<Factors> factors_of(std::string_view op, const std::vector<Dims>& dims) {
  const size_t first = first_factor(op);
  if (dims.size() < first + 2) return std::nullopt;
  Factors out{dims[first], dims[first + 1], op == "aten::linear"};
  const auto positive = [](const Dims& d) { return std::ranges::all_of(d, [](int64_t x) { return x > 0; }); };
  if (out.lhs.size() < 2 || out.rhs.size() < 2 || !positive(out.lhs) || !positive(out.rhs))
    return std::nullopt;
  return out;
}

std::optional<int64_t> product_of(const Dims& dims, size_t end) {
  std::optional<int64_t> out = 1;
  for (size_t i = 0; i < end && out; ++i) out = checked_multiply(*out, dims[i]);
  return out;
}

// m, k and n by the last dimensions; earlier ones of both are the batch, of the left one alone more rows.
bool put_sizes(const Factors& f, MeasuredOperation& out) {
  const size_t l = f.lhs.size(), r = f.rhs.size();
  const int64_t k = f.lhs[l - 1], n = f.transposed ? f.rhs[r - 2] : f.rhs[r - 1];
  if (k != (f.transposed ? f.rhs[r - 1] : f.rhs[r - 2])) return false;
  const auto rows = product_of(f.lhs, l - 1), batch = product_of(f.rhs, r - 2);
  if (!rows || !batch || *rows % *batch != 0) return false;
  out.batch = *batch;
  out.m = *rows / *batch;
  out.k = k;
  out.n = n;
  out.flops = 2.0 * static_cast<double>(*rows) * static_cast<double>(k) * static_cast<double>(n);
  return true;
}

std::string shape_text(const std::string& type, const Dims& dims) {
  return type + "[" + join(dims, ",") + "]";
}

constexpr int64_t kTooMany = int64_t{1} << 55;  // elements: their bits are a number below this

int64_t checked_sum(std::initializer_list<int64_t> terms) {
  int64_t out = 0;
  for (const int64_t term : terms) out += std::clamp<int64_t>(term, 0, kTooMany);
  return std::min(out, kTooMany);
}

void put_torch_product(const TorchWords& words, MeasuredOperation& out) {
  const auto factors = factors_of(words.cpu_op, parse_dims(words.input_dims));
  const std::vector<std::string> types = parse_types(words.input_types);
  const size_t first = first_factor(words.cpu_op);
  if (first < types.size()) out.dtype = types[first];
  if (!factors || !put_sizes(*factors, out)) return;
  out.shapes = shape_text(out.dtype, factors->lhs) + " × " + shape_text(out.dtype, factors->rhs);
  const auto type = parse_element_type(out.dtype);
  const int64_t all = checked_sum({product_of(factors->lhs, factors->lhs.size()).value_or(kTooMany),
                                   product_of(factors->rhs, factors->rhs.size()).value_or(kTooMany),
                                   product_of({out.batch, out.m, out.n}, 3).value_or(kTooMany)});
  if (type && all < kTooMany) out.bytes = byte_size(*type, all);
}

void put_torch_shapes(const TorchWords& words, MeasuredOperation& out) {
  const std::vector<Dims> dims = parse_dims(words.input_dims);
  const std::vector<std::string> types = parse_types(words.input_types);
  for (const std::string& type : types)
    if (out.dtype.empty()) out.dtype = type;
  std::vector<std::string> parts;
  for (size_t i = 0; i < dims.size() && i < types.size() && parts.size() < 8; ++i)
    if (!dims[i].empty()) parts.push_back(shape_text(types[i], dims[i]));
  out.shapes = join(parts, ", ");
}

MeasuredOperation describe_nccl(const TorchWords& words) {
  MeasuredOperation out;
  out.kind = MeasuredKind::collective;
  out.opcode = collective_opcode(words.collective.empty() ? words.kernel : words.collective);
  out.matched = !out.opcode.empty();
  out.op = words.collective.empty() ? words.kernel : words.collective;
  out.dtype = element_type_name(words.dtype);
  out.group = std::max(0, words.group);
  const int64_t elements = std::max(words.elements_in, words.elements_out);
  const auto type = parse_element_type(out.dtype);
  if (type && elements > 0 && elements < kTooMany) {
    out.bytes = byte_size(*type, elements);
    out.shapes = shape_text(out.dtype, {elements});
  }
  return out;
}

}  // namespace

// One operator may launch several kernels, a product and the sum of its parts: each is what its own name
// says, and what its operator says where its name says nothing.
MeasuredOperation describe_torch(const TorchWords& words) {
  const NamedKind kernel = kind_of_kernel(words.kernel), op = kind_of_operator(words.cpu_op);
  if (!words.collective.empty() || kernel.kind == MeasuredKind::collective) return describe_nccl(words);
  const bool by_operator = op.known && (!kernel.known || kernel.kind == op.kind);
  MeasuredOperation out = operation_of(kernel.known ? kernel : op);
  out.instruction = words.cpu_op;
  if (by_operator) out.opcode = op.opcode.empty() ? out.opcode : std::string(op.opcode);
  out.op = words.cpu_op.empty() ? words.kernel : words.cpu_op;
  if (!by_operator && !words.cpu_op.empty()) out.op += ": " + std::string(words.kernel);
  if (out.kind == MeasuredKind::product && by_operator)
    put_torch_product(words, out);
  else if (by_operator)
    put_torch_shapes(words, out);
  return out;
}

}  // namespace shardscope::inline measure
