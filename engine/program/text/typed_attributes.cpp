// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/typed_attributes.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/text/window_text.h"

namespace shardscope {
namespace {

// The alternative `T`, made where there is another.
template <typename T>
T& as(Attributes& attributes) {
  if (!std::holds_alternative<T>(attributes)) attributes = T();
  return std::get<T>(attributes);
}

template <typename T, typename Owner>
Owner owner_of(T Owner::*);
template <auto kMember>
using OwnerOf = decltype(owner_of(kMember));

template <auto kMember>
Result<void> read_list(HloLexer& lexer, Attributes& into) {
  TRY(as<OwnerOf<kMember>>(into).*kMember, read_int_list(lexer));
  return {};
}
template <auto kMember>
std::string print_list(const Attributes& of) {
  const auto* owner = std::get_if<OwnerOf<kMember>>(&of);
  return owner == nullptr ? std::string() : int_list_text(owner->*kMember);
}
template <auto kMember>
std::string print_list_if_any(const Attributes& of) {
  const auto* owner = std::get_if<OwnerOf<kMember>>(&of);
  return owner == nullptr || (owner->*kMember).empty() ? std::string() : int_list_text(owner->*kMember);
}

// Numbers from 0 that have a value of their own when they are not said.
template <auto kMember>
Result<void> read_number(HloLexer& lexer, Attributes& into) {
  const size_t start = lexer.position();
  TRY(const int64_t number, lexer.expect_integer("a number"));
  if (number < 0 || number > kMostPadding) return lexer.error_at(start, "expected a number from 0");
  if (number != OwnerOf<kMember>().*kMember) as<OwnerOf<kMember>>(into).*kMember = number;
  return {};
}
template <auto kMember>
std::string print_number(const Attributes& of) {
  const auto* owner = std::get_if<OwnerOf<kMember>>(&of);
  if (owner == nullptr || owner->*kMember == OwnerOf<kMember>().*kMember) return "";
  return std::to_string(owner->*kMember);
}

template <auto kMember>
constexpr AttributeText list(std::string_view key) {
  return {key, &read_list<kMember>, &print_list<kMember>};
}
template <auto kMember>
constexpr AttributeText list_if_any(std::string_view key) {
  return {key, &read_list<kMember>, &print_list_if_any<kMember>};
}
template <auto kMember>
constexpr AttributeText number(std::string_view key) {
  return {key, &read_number<kMember>, &print_number<kMember>};
}

// One of an enumeration's words, in its order.
struct Words {
  std::string_view key;
  std::span<const std::string_view> words;
};
Result<size_t> read_word(HloLexer& lexer, const Words& of) {
  const size_t start = lexer.position();
  const std::string_view word = lexer.word();
  const auto found = std::find(of.words.begin(), of.words.end(), word);
  if (found != of.words.end()) return static_cast<size_t>(found - of.words.begin());
  std::string legal;
  for (size_t k = 0; k < of.words.size(); ++k)
    legal += (k == 0 ? "" : k + 1 == of.words.size() ? " or " : ", ") + std::string(of.words[k]);
  return lexer.error_at(start, std::string(of.key) + " '" + std::string(word) + "', expected " + legal);
}

constexpr std::string_view kComparisons[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kTruths[] = {"false", "true"};

// An enumeration that is an alternative by itself.
template <class Enum, const auto& words>
Result<void> read_enum(HloLexer& lexer, Attributes& into, std::string_view key) {
  TRY(const size_t place, read_word(lexer, {key, words}));
  into = static_cast<Enum>(place);
  return {};
}
template <class Enum, const auto& words>
std::string print_enum(const Attributes& of) {
  const auto* own = std::get_if<Enum>(&of);
  return own == nullptr ? std::string() : std::string(words[static_cast<size_t>(*own)]);
}

Result<void> read_comparison(HloLexer& lexer, Attributes& into) {
  return read_enum<CompareDirection, kComparisons>(lexer, into, "direction");
}
Result<void> read_algorithm(HloLexer& lexer, Attributes& into) {
  return read_enum<RandomAlgorithm, kAlgorithms>(lexer, into, "algorithm");
}

Result<void> read_fft_type(HloLexer& lexer, Attributes& into) {
  TRY(const size_t place, read_word(lexer, {"fft_type", kFftTypes}));
  as<Fft>(into).type = static_cast<FftType>(place);
  return {};
}
std::string print_fft_type(const Attributes& of) {
  const auto* fft = std::get_if<Fft>(&of);
  return fft == nullptr ? std::string() : std::string(kFftTypes[static_cast<size_t>(fft->type)]);
}

Result<void> read_largest(HloLexer& lexer, Attributes& into) {
  TRY(const size_t place, read_word(lexer, {"largest", kTruths}));
  as<TopK>(into).largest = place == 1;
  return {};
}
std::string print_largest(const Attributes& of) {
  const auto* pick = std::get_if<TopK>(&of);
  return pick == nullptr ? std::string() : std::string(kTruths[pick->largest ? 1 : 0]);
}

Result<void> read_pad(HloLexer& lexer, Attributes& into) {
  TRY(into, read_padding(lexer));
  return {};
}
std::string print_pad(const Attributes& of) {
  const auto* padding = std::get_if<Padding>(&of);
  return padding == nullptr ? std::string() : padding_text(*padding);
}

Result<void> read_window(HloLexer& lexer, Attributes& into) {
  TRY(std::vector<WindowDim> dims, read_window_dims(lexer));
  into = Window{std::move(dims)};
  return {};
}
std::string print_window(const Attributes& of) {
  const auto* window = std::get_if<Window>(&of);
  return window == nullptr ? std::string() : window_text(window->dims);
}

Result<void> read_convolution_window(HloLexer& lexer, Attributes& into) {
  TRY(std::vector<WindowDim> dims, read_window_dims(lexer));
  if (!dims.empty()) as<ConvolutionDims>(into).window = std::move(dims);
  return {};
}
std::string print_convolution_window(const Attributes& of) {
  const auto* convolution = std::get_if<ConvolutionDims>(&of);
  return convolution == nullptr || convolution->window.empty() ? std::string()
                                                               : window_text(convolution->window);
}

// The labels of one array: two letters and the numbers of the spatial dimensions, each once.
bool take_labels(std::string_view labels, std::string_view letters, std::array<int64_t*, 2> plain,
                 std::vector<int64_t>& spatial) {
  spatial.assign(labels.size() >= 2 ? labels.size() - 2 : 0, -1);
  *plain[0] = *plain[1] = -1;
  for (size_t d = 0; d < labels.size(); ++d) {
    const int64_t digit = labels[d] - '0';
    const size_t letter = letters.find(labels[d]);
    if (letter != std::string_view::npos)
      *plain[letter] = static_cast<int64_t>(d);
    else if (digit >= 0 && digit < static_cast<int64_t>(spatial.size()))
      spatial[static_cast<size_t>(digit)] = static_cast<int64_t>(d);
  }
  return *plain[0] >= 0 && *plain[1] >= 0 && std::count(spatial.begin(), spatial.end(), -1) == 0;
}

Result<void> read_labels(HloLexer& lexer, Attributes& into) {
  const size_t place = lexer.position();
  TRY(const std::string_view text, lexer.balanced());
  const size_t under = text.find('_'), arrow = text.find("->");
  ConvolutionDims c;
  const bool read =
      under != std::string_view::npos && arrow != std::string_view::npos && under < arrow &&
      take_labels(text.substr(0, under), "bf", {&c.input_batch, &c.input_feature}, c.input_spatial) &&
      take_labels(text.substr(under + 1, arrow - under - 1), "io", {&c.kernel_input, &c.kernel_output},
                  c.kernel_spatial) &&
      take_labels(text.substr(arrow + 2), "bf", {&c.output_batch, &c.output_feature}, c.output_spatial) &&
      c.input_spatial.size() == c.kernel_spatial.size() && c.input_spatial.size() == c.output_spatial.size();
  if (!read)
    return lexer.error_at(place, "dim_labels=" + std::string(text) +
                                     ", expected one letter or digit per dimension, such as "
                                     "b01f_01io->b01f");
  ConvolutionDims& own = as<ConvolutionDims>(into);
  c.window = std::move(own.window);
  c.feature_groups = own.feature_groups;
  c.batch_groups = own.batch_groups;
  own = std::move(c);
  return {};
}

std::string labels_of(std::string_view letters, int64_t first, int64_t second,
                      const std::vector<int64_t>& spatial) {
  std::string out(spatial.size() + 2, '?');
  out[static_cast<size_t>(first)] = letters[0];
  out[static_cast<size_t>(second)] = letters[1];
  for (size_t s = 0; s < spatial.size(); ++s)
    out[static_cast<size_t>(spatial[s])] = static_cast<char>('0' + s);
  return out;
}
std::string print_labels(const Attributes& of) {
  const auto* c = std::get_if<ConvolutionDims>(&of);
  if (c == nullptr || c->input_batch < 0) return "";
  return labels_of("bf", c->input_batch, c->input_feature, c->input_spatial) + "_" +
         labels_of("io", c->kernel_input, c->kernel_output, c->kernel_spatial) + "->" +
         labels_of("bf", c->output_batch, c->output_feature, c->output_spatial);
}

Result<void> read_target(HloLexer& lexer, Attributes& into) {
  TRY(const std::string_view text, lexer.balanced());
  into = CustomCall{unquote(text)};
  return {};
}
std::string print_target(const Attributes& of) {
  const auto* call = std::get_if<CustomCall>(&of);
  return call == nullptr ? std::string() : c_escaped(call->target);
}

constexpr AttributeText kCompare[] = {
    {"direction", &read_comparison, &print_enum<CompareDirection, kComparisons>}};
constexpr AttributeText kRandom[] = {
    {"algorithm", &read_algorithm, &print_enum<RandomAlgorithm, kAlgorithms>}};
constexpr AttributeText kFft[] = {{"fft_type", &read_fft_type, &print_fft_type},
                                  list<&Fft::length>("fft_length")};
constexpr AttributeText kTopK[] = {number<&TopK::k>("k"), {"largest", &read_largest, &print_largest}};
constexpr AttributeText kPad[] = {{"padding", &read_pad, &print_pad}};
constexpr AttributeText kWindow[] = {{"window", &read_window, &print_window}};
constexpr AttributeText kConvolution[] = {
    {"window", &read_convolution_window, &print_convolution_window},
    {"dim_labels", &read_labels, &print_labels},
    number<&ConvolutionDims::feature_groups>("feature_group_count"),
    number<&ConvolutionDims::batch_groups>("batch_group_count"),
};
constexpr AttributeText kGather[] = {
    list<&GatherDims::offset_dims>("offset_dims"),
    list<&GatherDims::collapsed_slice_dims>("collapsed_slice_dims"),
    list<&GatherDims::start_index_map>("start_index_map"),
    list_if_any<&GatherDims::operand_batching_dims>("operand_batching_dims"),
    list_if_any<&GatherDims::start_indices_batching_dims>("start_indices_batching_dims"),
    number<&GatherDims::index_vector_dim>("index_vector_dim"),
    list<&GatherDims::slice_sizes>("slice_sizes"),
};
constexpr AttributeText kScatter[] = {
    list<&ScatterDims::update_window_dims>("update_window_dims"),
    list<&ScatterDims::inserted_window_dims>("inserted_window_dims"),
    list<&ScatterDims::to_operand_dims>("scatter_dims_to_operand_dims"),
    list_if_any<&ScatterDims::input_batching_dims>("input_batching_dims"),
    list_if_any<&ScatterDims::indices_batching_dims>("scatter_indices_batching_dims"),
    number<&ScatterDims::index_vector_dim>("index_vector_dim"),
};
constexpr AttributeText kCustomCall[] = {{"custom_call_target", &read_target, &print_target}};
constexpr AttributeText kReducePrecision[] = {
    number<&Precision::exponent_bits>("exponent_bits"),
    number<&Precision::mantissa_bits>("mantissa_bits"),
};

}  // namespace

std::span<const AttributeText> typed_attributes(Opcode opcode) {
  static const OpTable<std::span<const AttributeText>> table(
      {}, {{Opcode::compare, kCompare},
           {Opcode::pad, kPad},
           {Opcode::reduce_window, kWindow},
           {Opcode::select_and_scatter, kWindow},
           {Opcode::cholesky, cholesky_attributes()},
           {Opcode::triangular_solve, triangular_solve_attributes()},
           {Opcode::convolution, kConvolution},
           {Opcode::gather, kGather},
           {Opcode::scatter, kScatter},
           {Opcode::custom_call, kCustomCall},
           {Opcode::rng_bit_generator, kRandom},
           {Opcode::fft, kFft},
           {Opcode::topk, kTopK},
           {Opcode::reduce_precision, kReducePrecision}});
  return table[opcode];
}

Result<std::vector<int64_t>> read_int_list(HloLexer& lexer) {
  TRY_VOID(lexer.expect("{"));
  std::vector<int64_t> numbers;
  if (lexer.accept("}")) return numbers;
  do {
    TRY(const int64_t number, lexer.expect_integer("a number"));
    numbers.push_back(number);
  } while (lexer.accept(","));
  TRY_VOID(lexer.expect("}"));
  return numbers;
}

std::string int_list_text(const std::vector<int64_t>& numbers) {
  std::string out = "{";
  for (size_t i = 0; i < numbers.size(); ++i) out += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  return out + "}";
}

}  // namespace shardscope
