// SPDX-License-Identifier: Apache-2.0
// The values of attributes.def: how each is read and printed.
#include "engine/program/text/attribute_values.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/program/text/window_text.h"

namespace shardscope::inline program {
namespace {

// The alternative `T`, made where there is another.
template <typename T>
T& as(Instruction& into) {
  Attributes& attributes = into.attributes.edit();
  if (!std::holds_alternative<T>(attributes)) attributes = T();
  return std::get<T>(attributes);
}
// The same, null where there is another.
template <typename T>
const T* kept(const Instruction& of) {
  return std::get_if<T>(&*of.attributes);
}

template <typename T, typename Owner>
Owner owner_of(T Owner::*);
template <auto kMember>
using OwnerOf = decltype(owner_of(kMember));

// The words of an enumeration, in its order.
struct Words {
  std::string_view key;
  std::span<const std::string_view> words;
};
Result<size_t> read_word(HloLexer& lexer, const Words& of) {
  const size_t start = lexer.position();
  const std::string_view word = lexer.word();
  const auto found = std::ranges::find(of.words, word);
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
constexpr std::string_view kTransposes[] = {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr Words kDirectionWords{"direction", kComparisons}, kAlgorithmWords{"algorithm", kAlgorithms},
    kFftWords{"fft_type", kFftTypes}, kTruthWords{"largest", kTruths};

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

std::string labels_of(std::string_view letters, int64_t first, int64_t second,
                      const std::vector<int64_t>& spatial) {
  std::string out(spatial.size() + 2, '?');
  out[static_cast<size_t>(first)] = letters[0];
  out[static_cast<size_t>(second)] = letters[1];
  for (size_t s = 0; s < spatial.size(); ++s)
    out[static_cast<size_t>(spatial[s])] = static_cast<char>('0' + s);
  return out;
}
Result<void> read_labels(HloLexer& lexer, ConvolutionDims& own) {
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
  c.window = std::move(own.window);
  c.feature_groups = own.feature_groups;
  c.batch_groups = own.batch_groups;
  own = std::move(c);
  return {};
}

std::string print_labels(const ConvolutionDims& c) {
  if (c.input_batch < 0) return "";
  return labels_of("bf", c.input_batch, c.input_feature, c.input_spatial) + "_" +
         labels_of("io", c.kernel_input, c.kernel_output, c.kernel_spatial) + "->" +
         labels_of("bf", c.output_batch, c.output_feature, c.output_spatial);
}

Result<void> read_transpose(HloLexer& lexer, TriangularSides& sides) {
  const size_t start = lexer.position();
  TRY(const std::string_view word, lexer.expect_word("NO_TRANSPOSE, TRANSPOSE or ADJOINT"));
  const auto found = std::ranges::find(kTransposes, word);
  if (found == std::end(kTransposes))
    return lexer.error_at(start,
                          "got '" + std::string(word) + "', expected NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  sides.transpose = static_cast<TriangularSides::Transpose>(found - std::begin(kTransposes));
  return {};
}

// "{[0:4], [0:8:2]}": strides are said of all dimensions or of none.
Result<void> read_slice(HloLexer& lexer, Instruction& into) {
  TRY_VOID(lexer.expect("{"));
  if (lexer.accept("}")) return {};
  do {
    SliceDim dim;
    TRY_VOID(lexer.expect("["));
    TRY(dim.start, lexer.expect_integer("a start"));
    TRY_VOID(lexer.expect(":"));
    TRY(dim.limit, lexer.expect_integer("a limit"));
    if (lexer.accept(":")) {
      TRY(dim.stride, lexer.expect_integer("a stride"));
    }
    TRY_VOID(lexer.expect("]"));
    into.slice.edit().push_back(dim);
  } while (lexer.accept(","));
  return lexer.expect("}");
}
std::string print_slice(const Instruction& of, bool) {
  const bool strided = std::ranges::any_of(of.slice, [](const SliceDim& d) { return d.stride != 1; });
  std::string out = "{";
  for (const SliceDim& dim : of.slice) {
    out += (out.size() > 1 ? ", [" : "[") + std::to_string(dim.start) + ":" + std::to_string(dim.limit);
    if (strided) out += ":" + std::to_string(dim.stride);
    out += ']';
  }
  return out + "}";
}

// The names of the column.
namespace values {

using Kind = AttributeValue::Kind;
constexpr AttributeValue verbatim{Kind::verbatim}, by_reader{Kind::by_reader}, callee{Kind::callee},
    callees{Kind::callees};

// Fields of an instruction.
template <auto kEdit, auto kList>
constexpr AttributeValue field_list{Kind::field,
                                    [](HloLexer& lexer, Instruction& into) -> Result<void> {
                                      TRY(kEdit(into), read_int_list(lexer));
                                      return {};
                                    },
                                    [](const Instruction& of, bool always) {
                                      const std::vector<int64_t>& list = kList(of);
                                      return always || !list.empty() ? int_list_text(list) : std::string();
                                    }};
template <auto kMember>
constexpr const AttributeValue& numbers = field_list < [](auto& i) -> auto& {
  return (i.*kMember).edit();
}
, [](auto& i) -> const auto& {
  return *(i.*kMember);
}
> ;
template <auto kMember>
constexpr const AttributeValue& dot_numbers = field_list < [](auto& i) -> auto& {
  return i.dot.edit().*kMember;
}
, [](auto& i) -> const auto& {
  return (*i.dot).*kMember;
}
> ;
constexpr AttributeValue channel{Kind::field,
                                 [](HloLexer& lexer, Instruction& into) -> Result<void> {
                                   TRY(into.channel_id, lexer.expect_integer("a channel number"));
                                   return {};
                                 },
                                 [](const Instruction& of, bool) {
                                   return of.channel_id ? std::to_string(*of.channel_id) : std::string();
                                 }};
constexpr AttributeValue tuple_index{
    Kind::own,
    [](HloLexer& lexer, Instruction& into) -> Result<void> {
      TRY(into.tuple_index, lexer.expect_integer("a tuple index"));
      return {};
    },
    [](const Instruction& of, bool) { return std::to_string(of.tuple_index); }};
constexpr AttributeValue iota_dimension{
    Kind::own,
    [](HloLexer& lexer, Instruction& into) -> Result<void> {
      TRY(const int64_t dimension, lexer.expect_integer("a dimension"));
      into.dimensions = {dimension};
      return {};
    },
    [](const Instruction& of, bool) {
      return of.dimensions.empty() ? std::string() : std::to_string(of.dimensions.front());
    }};
constexpr AttributeValue slice{Kind::own, read_slice, print_slice};

// An alternative of its Attributes.
template <class T, auto kRead, auto kPrint>
constexpr AttributeValue part{
    Kind::own, [](HloLexer& lexer, Instruction& into) -> Result<void> { return kRead(lexer, as<T>(into)); },
    [](const Instruction& of, bool) {
      const T* own = kept<T>(of);
      return own == nullptr ? std::string() : std::string(kPrint(*own));
    }};
// The same of a member; `kAlways`: said where it is empty.
template <auto kMember, bool kAlways = true>
constexpr AttributeValue list =
    part<OwnerOf<kMember>,
         [](HloLexer& lexer, auto& own) -> Result<void> {
           TRY(own.*kMember, read_int_list(lexer));
           return {};
         },
         [](const auto& own) {
           return kAlways || !(own.*kMember).empty() ? int_list_text(own.*kMember) : std::string();
         }>;
template <auto kMember>
constexpr const AttributeValue& list_if_any = list<kMember, false>;
template <class T, const Words& kWords, auto kOf>
constexpr AttributeValue word =
    part<T,
         [](HloLexer& lexer, T& own) -> Result<void> {
           TRY(const size_t place, read_word(lexer, kWords));
           kOf(own) = static_cast<std::remove_reference_t<decltype(kOf(own))>>(place);
           return {};
         },
         [](const T& own) { return kWords.words[static_cast<size_t>(kOf(own))]; }>;
constexpr auto kWhole = [](auto& own) -> auto& {
  return own;
};
constexpr const AttributeValue& direction = word<CompareDirection, kDirectionWords, kWhole>;
constexpr const AttributeValue& algorithm = word<RandomAlgorithm, kAlgorithmWords, kWhole>;
constexpr const AttributeValue &fft_type = word < Fft, kFftWords, [](auto&fft) -> auto & {
  return fft.type;
}
> ;
constexpr const AttributeValue &largest = word < TopK, kTruthWords, [](auto&k) -> auto & {
  return k.largest;
}
> ;
constexpr const AttributeValue& transpose_a = part<TriangularSides, read_transpose, [](const auto& own) {
  return kTransposes[static_cast<size_t>(own.transpose)];
}>;
constexpr const AttributeValue& dim_labels = part<ConvolutionDims, read_labels, print_labels>;
constexpr const AttributeValue& padding = part<Padding,
                                               [](HloLexer& lexer, Padding& own) -> Result<void> {
                                                 TRY(own, read_padding(lexer));
                                                 return {};
                                               },
                                               padding_text>;
constexpr const AttributeValue& window = part<Window,
                                              [](HloLexer& lexer, Window& own) -> Result<void> {
                                                TRY(own.dims, read_window_dims(lexer));
                                                return {};
                                              },
                                              [](const Window& own) { return window_text(own.dims); }>;
constexpr const AttributeValue& target = part<CustomCall,
                                              [](HloLexer& lexer, CustomCall& own) -> Result<void> {
                                                TRY(const std::string_view text, lexer.balanced());
                                                own.target = unquote(text);
                                                return {};
                                              },
                                              [](const CustomCall& own) { return c_escaped(own.target); }>;

// Members that have a value where they are not said: they are kept where that is another.
template <auto kMember>
void keep(Instruction& into, std::remove_cvref_t<decltype(OwnerOf<kMember>().*kMember)> value) {
  using Owner = OwnerOf<kMember>;
  if (value != Owner().*kMember || kept<Owner>(into) != nullptr) as<Owner>(into).*kMember = std::move(value);
}
template <auto kMember, auto kText>
std::string print_kept(const Instruction& of, bool) {
  const auto* own = kept<OwnerOf<kMember>>(of);
  return own == nullptr || own->*kMember == OwnerOf<kMember>().*kMember ? "" : kText(own->*kMember);
}
template <auto kMember>
constexpr AttributeValue number{Kind::own,
                                [](HloLexer& lexer, Instruction& into) -> Result<void> {
                                  const size_t start = lexer.position();
                                  TRY(const int64_t said, lexer.expect_integer("a number"));
                                  if (said < 0 || said > kMostPadding)
                                    return lexer.error_at(start, "expected a number from 0");
                                  keep<kMember>(into, said);
                                  return {};
                                },
                                print_kept<kMember, [](int64_t said) { return std::to_string(said); }>};
template <auto kMember>
constexpr AttributeValue flag{Kind::own,
                              [](HloLexer& lexer, Instruction& into) -> Result<void> {
                                const size_t start = lexer.position();
                                TRY(const std::string_view said, lexer.expect_word("true or false"));
                                if (said != "true" && said != "false")
                                  return lexer.error_at(
                                      start, "got '" + std::string(said) + "', expected true or false");
                                keep<kMember>(into, said == "true");
                                return {};
                              },
                              print_kept<kMember, [](bool) { return std::string("true"); }>};
constexpr AttributeValue convolution_window{
    Kind::own,
    [](HloLexer& lexer, Instruction& into) -> Result<void> {
      TRY(std::vector<WindowDim> dims, read_window_dims(lexer));
      keep<&ConvolutionDims::window>(into, std::move(dims));
      return {};
    },
    print_kept<&ConvolutionDims::window, [](const auto& dims) { return window_text(dims); }>};

}  // namespace values
}  // namespace

std::span<const AttributeRow> attribute_rows() {
  using namespace values;
  static constexpr AttributeRow kRows[] = {
#define ATTRIBUTE(key, operations, value, proto) {key, operations, &(value), false},
#define BESIDE(key, operations, value, proto) {key, operations, &(value), true},
#include "engine/program/text/attributes.def"
  };
  return kRows;
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

}  // namespace shardscope::inline program
