// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/text.h"
#include "engine/program/ir/definition.h"
#include "engine/program/source/jax_arrays.h"

namespace shardscope::inline program {
namespace {

// What the outputs are: as the program says, or of one product by its arrays' roles.
std::vector<Definition> definitions_of(const Program& program) {
  std::vector<std::string> texts = program.definitions;
  const auto plays = [&](ArrayRole role) {
    return std::ranges::count(program.inputs, role, &ArrayInfo::role) == 1;
  };
  const bool one_product = program.output && program.output->role == ArrayRole::product &&
                           program.inputs.size() == 2 && plays(ArrayRole::lhs) && plays(ArrayRole::rhs);
  if (texts.empty() && one_product)
    texts.push_back(fmt::format("{}[m,n] = X[m,k] W[k,n]", symbol_of(*program.output)));
  std::vector<Definition> out;
  for (const std::string& text : texts) {
    auto one = parse_definition(text);
    if (!one.ok() || !one->group.empty()) return {};
    out.push_back(*std::move(one));
  }
  return out;
}

// np.einsum("ab,bc->ac", X, W)
std::string einsum(const Definition& definition) {
  std::map<std::string, char> letters;
  const auto word = [&](const IndexedArray& array) {
    std::string out;
    for (const std::string& index : array.indices)
      out += letters.try_emplace(index, static_cast<char>('a' + letters.size())).first->second;
    return out;
  };
  std::vector<std::string> subscripts, symbols;
  for (const IndexedArray& factor : definition.factors) {
    subscripts.push_back(word(factor));
    symbols.push_back("value_of_" + factor.symbol);
  }
  const std::string product = fmt::format("np.einsum(\"{}->{}\", {})", join(subscripts, ","),
                                          word(definition.result), join(symbols, ", "));
  return definition.relu ? fmt::format("np.maximum({}, 0)", product) : product;
}

// As it is in mathematics: summed where devices hold partial sums, not transposed.
std::string whole(const JaxArray& array) {
  std::string out = fmt::format("np.asarray({}, np.float64)", array.name);
  if (array.stacked()) out += ".sum(0)";
  return array.info->transposed ? out + ".T" : out;
}

}  // namespace

std::vector<std::string> jax_check(const Program& program, const std::vector<JaxArray>& parameters,
                                   const std::vector<JaxArray>& results) {
  if (!std::ranges::all_of(parameters, [](const JaxArray& a) { return a.info.has_value(); })) return {};
  const std::vector<Definition> definitions = definitions_of(program);
  std::vector<std::string> symbols, out;
  for (const JaxArray& array : parameters) {
    symbols.push_back(symbol_of(*array.info));
    out.push_back(fmt::format("value_of_{} = {}", symbols.back(), whole(array)));
  }
  for (const Definition& definition : definitions) {
    for (const IndexedArray& factor : definition.factors)
      if (std::ranges::count(symbols, factor.symbol) == 0) return {};
    symbols.push_back(definition.result.symbol);
    out.push_back(fmt::format("value_of_{} = {}", symbols.back(), einsum(definition)));
  }
  bool any = false;
  for (const JaxArray& array : results) {
    if (!array.info) continue;
    const std::string symbol = symbol_of(*array.info);
    if (definitions.empty() || std::ranges::count(symbols, symbol) == 0) continue;
    const double tolerance = element_type(array.shard.type).rtol;
    out.push_back(
        fmt::format("np.testing.assert_allclose({}, value_of_{}, rtol={}, atol={} * "
                    "np.abs(value_of_{}).max())",
                    whole(array), symbol, tolerance, tolerance, symbol));
    any = true;
  }
  if (!any) return {};
  out.push_back("print(\"equal to NumPy\")");
  return out;
}

}  // namespace shardscope::inline program
