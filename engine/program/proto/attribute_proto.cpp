// SPDX-License-Identifier: Apache-2.0
// The attributes of HloInstructionProto: the last column of attributes.def.
#include "engine/program/proto/attribute_proto.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/dimension_proto.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;
using I = field::Instruction;

// Empty: it does not say.
using Write = std::string (*)(const Message& instruction);
struct Value {
  Write write = nullptr;
  bool list = false;  // nothing is "{}" where the operation cannot be without it
  constexpr Value(Write how, bool is_list = false)  // NOLINT(google-explicit-constructor): a list is rare
      : write(how), list(is_list) {}
};
struct Row {
  std::string_view key;
  Value value;
};
constexpr Write not_here = nullptr;
constexpr Value braces(Write how) {
  return {how, true};
}

template <int kField>
std::string list(const Message& i) {
  const std::vector<int64_t> numbers = i.numbers(kField);
  return numbers.empty() ? "" : braced(numbers);
}
template <int kField>
std::string number(const Message& i) {
  return std::to_string(i.number(kField));
}
template <int kField>
std::string number_if_any(const Message& i) {
  return i.number(kField) == 0 ? "" : number<kField>(i);
}
template <int kField>
std::string above_one(const Message& i) {
  return i.number(kField) > 1 ? number<kField>(i) : "";
}
template <int kField>
std::string flag(const Message& i) {
  return i.number(kField) == 0 ? "" : "true";
}
// A word of XLA's own, such as an enumeration's.
template <int kField>
std::string word(const Message& i) {
  return i.has(kField) ? name_text(i.bytes(kField)) : "";
}
template <int kField>
std::string quoted(const Message& i) {
  return i.bytes(kField).empty() ? "" : c_escaped(i.bytes(kField));
}
// The name of an enumeration's number, "" of 0.
template <int kField, const auto& kNames>
std::string named(const Message& i) {
  const int64_t at = i.number(kField);
  return at > 0 && at < std::ssize(kNames) ? std::string(kNames[static_cast<size_t>(at)]) : "";
}
template <int kMessage, int kField>
std::string flag_in(const Message& i) {
  return i.message(kMessage).number(kField) == 0 ? "" : "true";
}
// Of a message that the operation has: also where it is empty.
template <int kMessage, int kField>
std::string list_in(const Message& i) {
  return i.has(kMessage) ? braced(i.message(kMessage).numbers(kField)) : "";
}
template <int kMessage, int kField>
std::string list_in_if_any(const Message& i) {
  const std::vector<int64_t> numbers = i.message(kMessage).numbers(kField);
  return numbers.empty() ? "" : braced(numbers);
}

constexpr std::string_view kDistributions[] = {"", "rng_uniform", "rng_normal"};
constexpr std::string_view kPaddingTypes[] = {"", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kSchedules[] = {"", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApis[] = {"", "", "API_VERSION_STATUS_RETURNING",
                                      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr std::string_view kTriStates[] = {"", "true", "false"};
constexpr std::string_view kFftNumbers[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kGenerators[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kPrecisions[] = {"default", "high", "highest"};
constexpr std::string_view kDotAlgorithms[] = {"",
                                               "dot_any_f8_any_f8_f32",
                                               "dot_any_f8_any_f8_f32_fast_accum",
                                               "dot_f16_f16_f16",
                                               "dot_f16_f16_f32",
                                               "dot_bf16_bf16_bf16",
                                               "dot_bf16_bf16_f32",
                                               "dot_bf16_bf16_f32_x3",
                                               "dot_bf16_bf16_f32_x6",
                                               "dot_tf32_tf32_f32",
                                               "dot_tf32_tf32_f32_x3",
                                               "dot_f32_f32_f32",
                                               "dot_f64_f64_f64",
                                               "dot_bf16_bf16_f32_x9"};

template <size_t kCount>
std::string_view entry(const std::string_view (&names)[kCount], int64_t at) {
  return at >= 0 && at < static_cast<int64_t>(kCount) ? names[static_cast<size_t>(at)] : std::string_view();
}

std::string channel(const Message& i) {
  const int64_t id = std::max(i.number(I::channel_id), i.number(I::all_reduce_id));
  return id > 0 ? std::to_string(id) : "";
}

bool is_permute(const Message& i) {
  const std::string_view opcode = i.bytes(I::opcode);
  return opcode.starts_with("collective-permute") && !opcode.ends_with("-done");
}

std::string pairs(const Message& i) {
  std::vector<std::string> out;
  for (const Message& pair : i.messages(I::source_target_pairs))
    out.push_back(
        fmt::format("{{{},{}}}", pair.number(field::Pair::first), pair.number(field::Pair::second)));
  return out.empty() && !is_permute(i) ? "" : "{" + join(out, ",") + "}";
}

// All devices, where a collective does not say; what moves from one to one other has no groups.
std::string groups(const Message& i) {
  std::string out = groups_text(i);
  const std::string_view opcode = i.bytes(I::opcode);
  const bool from_one = is_permute(i) || opcode.starts_with("send") || opcode.starts_with("recv");
  return out == "{}" && from_one ? "" : out;
}

std::string iota_dimension(const Message& i) {
  const std::vector<int64_t> dims = i.numbers(I::dimensions);
  return dims.empty() ? "" : std::to_string(dims.front());
}

std::string total_order(const Message& i) {
  return i.bytes(I::comparison_type) == "TOTALORDER" ? "TOTALORDER" : "";
}

std::string fft_type(const Message& i) {
  return std::string(entry(kFftNumbers, i.number(I::fft_type)));
}

std::string precisions(const Message& i) {
  const std::vector<int64_t> all = i.message(I::precision).numbers(field::Precision::operands);
  if (std::ranges::all_of(all, [](int64_t p) { return p == 0; })) return "";
  std::vector<std::string> words;
  for (const int64_t p : all) words.emplace_back(entry(kPrecisions, p));
  return "{" + join(words, ",") + "}";
}

// A generator's, or a product's.
std::string algorithm(const Message& i) {
  if (i.bytes(I::opcode) == "rng-bit-generator")
    return std::string(entry(kGenerators, i.number(I::rng_algorithm)));
  return std::string(entry(kDotAlgorithms, i.message(I::precision).number(field::Precision::algorithm)));
}

std::string operand_layouts(const Message& i) {
  if (i.number(I::constrain_layout) == 0) return "";
  std::vector<std::string> shapes;
  for (const Message& shape : i.messages(I::operand_layouts)) shapes.push_back(shape_text(shape));
  return "{" + join(shapes, ", ") + "}";
}

std::string aliasing(const Message& i) {
  using F = field::Aliasing;
  std::vector<std::string> pairs;
  for (const Message& pair : i.messages(I::output_operand_aliasing))
    pairs.push_back(fmt::format("{}: ({}, {})", braced(pair.numbers(F::output_index)),
                                pair.number(F::operand), braced(pair.numbers(F::operand_index))));
  return pairs.empty() ? "" : "{" + join(pairs, ", ") + "}";
}

std::string real(const Message& i) {
  return fmt::format("{:.6g}", i.real(I::epsilon));
}

std::string outfeed_shape(const Message& i) {
  return i.has(I::outfeed_shape) ? shape_text(i.message(I::outfeed_shape)) : "";
}

std::string replication(const Message& i) {
  std::vector<std::string> words;
  for (const int64_t one : i.message(I::parameter_replication).numbers(1))
    words.emplace_back(one != 0 ? "true" : "false");
  return words.empty() ? "" : "{" + join(words, ",") + "}";
}

std::string accuracy(const Message& i) {
  using F = field::Accuracy;
  if (!i.has(I::result_accuracy)) return "";
  const Message said = i.message(I::result_accuracy);
  if (said.has(F::tolerance)) {
    const Message t = said.message(F::tolerance);
    return fmt::format("{{tolerance={{atol={:g},rtol={:g},ulps={}}}}}", t.real(F::atol), t.real(F::rtol),
                       t.number(F::ulps));
  }
  return said.number(F::mode) == 1 ? "{mode=highest}" : "";
}

std::string async_thread(const Message& i) {
  const std::string_view thread = i.bytes(I::async_thread);
  return thread.empty() || thread == "main" ? "" : c_escaped(thread);
}

std::string prefetch(const Message& i) {
  return i.has(I::prefetch_index) ? number<I::prefetch_index>(i) : "";
}

std::string sharding(const Message& i) {
  return i.has(I::sharding) ? sharding_text(i.message(I::sharding)) : "";
}

using D = field::Dot;
using G = field::Gather;
using S = field::Scatter;
using V = field::Solve;
constexpr int kDot = I::dot_dimensions, kGather = I::gather_dimensions, kScatter = I::scatter_dimensions,
              kSolve = I::triangular_solve, kRagged = I::ragged_dimensions;

constexpr Row kRows[] = {
#define ATTRIBUTE(key, operations, value, proto) {key, proto},
#define BESIDE(key, operations, value, proto) {key, proto},
#include "engine/program/text/attributes.def"
};

}  // namespace

std::string attributes_text(const Message& instruction, const Instruction& probe) {
  std::string out;
  for (const auto& [key, value] : kRows) {
    if (value.write == nullptr || !takes_attribute(probe, key)) continue;
    std::string text = value.write(instruction);
    const AttributeText* own = value.list && text.empty() ? find_text(probe.opcode, key) : nullptr;
    if (own != nullptr && own->always) text = "{}";
    if (!text.empty()) out += fmt::format(", {}={}", key, text);
  }
  return out;
}

}  // namespace shardscope::inline program::proto
