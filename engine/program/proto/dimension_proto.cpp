// SPDX-License-Identifier: Apache-2.0
#include "engine/program/proto/dimension_proto.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;
using I = field::Instruction;

// One place for each dimension of an array of a convolution.
class Labels {
 public:
  explicit Labels(size_t rank) : letters_(rank, "?") {}
  void put(int64_t place, std::string letter) {
    if (place >= 0 && place < std::ssize(letters_)) letters_[static_cast<size_t>(place)] = std::move(letter);
  }
  void put_spatial(const std::vector<int64_t>& places) {
    for (size_t k = 0; k < places.size(); ++k) put(places[k], std::to_string(k));
  }
  std::string text() const { return join(letters_, ""); }

 private:
  std::vector<std::string> letters_;
};

// "size=3x3", or nothing where all dimensions say `plain`.
template <class Of>
void add_entry(const std::vector<Message>& dims, std::string_view key, std::string_view plain, Of of,
               std::vector<std::string>& out) {
  std::vector<std::string> words;
  for (const Message& dim : dims) words.push_back(of(dim));
  if (std::ranges::any_of(words, [&](const std::string& w) { return w != plain; }))
    out.push_back(fmt::format("{}={}", key, join(words, "x")));
}

}  // namespace

std::string slice_dims_text(const Message& instruction) {
  const std::vector<Message> dims = instruction.messages(I::slice_dimensions);
  const bool strided =
      std::ranges::any_of(dims, [](const Message& d) { return d.number(field::Pair::third, 1) != 1; });
  std::vector<std::string> parts;
  for (const Message& d : dims)
    parts.push_back(fmt::format("[{}:{}{}]", d.number(field::Pair::first), d.number(field::Pair::second),
                                strided ? fmt::format(":{}", d.number(field::Pair::third, 1)) : ""));
  return parts.empty() ? "" : "{" + join(parts, ", ") + "}";
}

std::string padding_text(const Message& instruction) {
  using F = field::Padding;
  const std::vector<Message> dims = instruction.message(I::padding).messages(F::dimensions);
  const bool spread = std::ranges::any_of(dims, [](const Message& d) { return d.number(F::interior) != 0; });
  std::vector<std::string> parts;
  for (const Message& d : dims)
    parts.push_back(fmt::format("{}_{}{}", d.number(F::low), d.number(F::high),
                                spread ? fmt::format("_{}", d.number(F::interior)) : ""));
  return join(parts, "x");
}

std::string window_text(const Message& instruction) {
  using F = field::Window;
  const std::vector<Message> dims = instruction.message(I::window).messages(F::dimensions);
  const auto number = [](int field, int64_t otherwise) {
    return [=](const Message& d) { return std::to_string(d.number(field, otherwise)); };
  };
  std::vector<std::string> entries;
  add_entry(dims, "size", "", number(F::size, 0), entries);
  add_entry(dims, "stride", "1", number(F::stride, 1), entries);
  add_entry(
      dims, "pad", "0_0",
      [](const Message& d) { return fmt::format("{}_{}", d.number(F::low), d.number(F::high)); }, entries);
  add_entry(dims, "lhs_dilate", "1", number(F::base_dilation, 1), entries);
  add_entry(dims, "rhs_dilate", "1", number(F::window_dilation, 1), entries);
  add_entry(dims, "rhs_reversal", "0", number(F::reversal, 0), entries);
  return entries.empty() ? "" : "{" + join(entries, " ") + "}";
}

std::string dim_labels_text(const Message& instruction) {
  using F = field::Convolution;
  if (!instruction.has(I::convolution_dimensions)) return "";
  const Message said = instruction.message(I::convolution_dimensions);
  const std::vector<int64_t> in = said.numbers(F::input_spatial), kernel = said.numbers(F::kernel_spatial),
                             out = said.numbers(F::output_spatial);
  Labels lhs(in.size() + 2), rhs(kernel.size() + 2), result(out.size() + 2);
  lhs.put(said.number(F::input_batch), "b");
  lhs.put(said.number(F::input_feature), "f");
  lhs.put_spatial(in);
  rhs.put(said.number(F::kernel_input), "i");
  rhs.put(said.number(F::kernel_output), "o");
  rhs.put_spatial(kernel);
  result.put(said.number(F::output_batch), "b");
  result.put(said.number(F::output_feature), "f");
  result.put_spatial(out);
  return lhs.text() + "_" + rhs.text() + "->" + result.text();
}

std::string index_vector_dim_text(const Message& instruction) {
  for (const int field : {I::gather_dimensions, I::scatter_dimensions})
    if (instruction.has(field))
      return std::to_string(instruction.message(field).number(field::Gather::index_vector_dim));
  return "";
}

std::string lower_text(const Message& instruction) {
  const bool lower = instruction.message(I::triangular_solve).number(field::Solve::lower) != 0 ||
                     instruction.message(I::cholesky).number(1) != 0;
  return lower ? "true" : "";
}

std::string transpose_text(const Message& instruction) {
  switch (instruction.message(I::triangular_solve).number(field::Solve::transpose)) {
    case 1:
      return "NO_TRANSPOSE";
    case 2:
      return "TRANSPOSE";
    case 3:
      return "ADJOINT";
    default:
      return "";
  }
}

}  // namespace shardscope::inline program::proto
