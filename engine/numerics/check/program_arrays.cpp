// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/program_arrays.h"

#include <algorithm>
#include <cmath>

#include "engine/base/hash.h"
#include "engine/base/machine/memory_limit.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/check/grouped_reference.h"
#include "engine/numerics/check/reference.h"
#include "engine/numerics/data/fill.h"
#include "engine/numerics/data/sparse_fill.h"
#include "engine/program/ir/definition.h"

namespace shardscope::inline numerics {
namespace {

// Largest integer up to which all integers and their sums are exact in every type that a chain uses: it keeps
// what it makes in the problem's type.
double exact_limit(const MatmulProblem& p) {
  const double own = std::ldexp(1.0, element_type(p.dtype).digits) - (is_integer(p.dtype) ? 1 : 0);
  return needs_sparse_integers(p) ? std::min(own, 0x1p8) : own;
}

// Integers that hold their own sums are exact modulo their range, whatever they are.
bool wraps_exactly(ElementType type) {
  return is_integer(type) && product_type(type) == type;
}

std::vector<int64_t> logical_dims(const ArrayInfo& info) {
  std::vector<int64_t> dims = info.dims;
  if (info.transposed) std::reverse(dims.begin(), dims.end());
  return dims;
}

// `each(tag, stored)` of all elements of a matrix.
template <class Each>
Array mapped(const Array& array, const Workers& workers, const Each& each) {
  Array out = Array::allocate(array.type(), array.dims());
  element::visit_real(array.type(), [&](auto tag) {
    using Tag = decltype(tag);
    const auto from = array.template as<typename Tag::Stored>();
    auto to = out.template mutable_as<typename Tag::Stored>();
    workers.parallel_for(array.dims()[0], [&](int64_t row) {
      const auto columns = static_cast<size_t>(array.dims()[1]), first = static_cast<size_t>(row) * columns;
      for (size_t i = first; i < first + columns; ++i) to[i] = each(tag, from[i]);
    });
  });
  return out;
}

Array scaled(const Array& array, double factor, const Workers& workers) {
  return mapped(array, workers, [factor](auto tag, auto value) {
    using Tag = decltype(tag);
    return Tag::store(static_cast<typename Tag::Computed>(static_cast<double>(Tag::load(value)) * factor));
  });
}

// A further operand [d0,d1], filled like X with a stream of its own. Normal ones are N(0, 1/d0), as weights
// of a network are, so that a long chain stays in range.
Array filled_operand(const ProblemData& data, const std::string& symbol, const std::vector<int64_t>& dims,
                     const Workers& workers) {
  MatmulProblem shape = data.problem;
  shape.m = dims[0], shape.k = dims[1], shape.n = 1;
  Array array = make_fill(shape, data.fill, text_hash(symbol, 0), Operand::lhs, workers);
  const bool normal = data.fill == Fill::normal || data.fill == Fill::jax;
  return normal ? scaled(array, 1 / std::sqrt(static_cast<double>(dims[0])), workers) : array;
}

Result<void> add_inputs(const Program& program, const ProblemData& data, const Workers& workers,
                        ProgramArrays& out) {
  const bool defined = !program.definitions.empty();
  const bool sparse = defined && data.exact && !wraps_exactly(data.problem.dtype);
  int64_t terms = 0;
  if (sparse) {
    TRY(terms, largest_terms(program, exact_limit(data.problem)));
    out.exact = terms > 0;
  }
  for (const ArrayInfo& info : program.inputs) {
    const std::string symbol = symbol_of(info);
    const std::vector<int64_t> dims = logical_dims(info);
    const bool further = info.role == ArrayRole::operand;
    if (!further && info.role != ArrayRole::lhs && info.role != ArrayRole::rhs)
      return invalid("an input must be X, W or a further operand", "inputs of the program");
    const Array& own = info.role == ArrayRole::lhs ? data.lhs : data.rhs;
    if (!further && dims != own.dims())
      return invalid("the program is for other sizes than the data", "inputs of the program");
    if (further && dims.size() != 2)
      return invalid(symbol + " has " + std::to_string(dims.size()) + " dimensions, expected 2",
                     "inputs of the program");
    if (sparse) {
      out.by_symbol[symbol] = sparse_matrix(data.problem.dtype, dims[0], dims[1], std::max<int64_t>(terms, 1),
                                            text_hash(symbol, data.seed), workers);
    } else {
      out.by_symbol[symbol] = further ? filled_operand(data, symbol, dims, workers) : own;
    }
  }
  return {};
}

Array positive_part(const Array& array, const Workers& workers) {
  return mapped(array, workers, [](auto tag, auto value) {
    return decltype(tag)::load(value) > 0 ? value : decltype(value){};
  });
}

Result<const Array*> array_of(const IndexedArray& factor, const Definition& d, const ProgramArrays& arrays) {
  const auto known = arrays.by_symbol.find(factor.symbol);
  if (known != arrays.by_symbol.end()) return &known->second;
  return invalid("the definition of " + d.result.symbol + " uses " + factor.symbol +
                 ", which no input and no definition before it is");
}

Result<Array> evaluate(const Definition& d, const ProgramArrays& arrays, const Workers& workers,
                       const std::stop_token& stop) {
  if (!d.runs.empty() && d.factors.size() == 2) {
    TRY(const Array* X, array_of(d.factors[0], d, arrays));
    TRY(const Array* W, array_of(d.factors[1], d, arrays));
    return grouped_reference(d, *X, *W, workers, stop);
  }
  TRY(const ProductForm form, product_form(d));
  Array sides[2];
  for (size_t side = 0; side < 2; ++side) {
    TRY(const Array* known, array_of(d.factors[side == 0 ? form.lhs : form.rhs], d, arrays));
    const bool turned = side == 0 ? form.lhs_transposed : form.rhs_transposed;
    sides[side] = turned ? transposed(*known) : *known;
  }
  if (sides[0].dims()[1] != sides[1].dims()[0])
    return invalid("the definition of " + d.result.symbol + " sums over " +
                   std::to_string(sides[0].dims()[1]) + " and " + std::to_string(sides[1].dims()[0]) +
                   " elements");
  auto product = reference_product(sides[0], sides[1], sides[0].type(), workers, stop);
  if (!product) return cancelled();
  return d.relu ? positive_part(product->product, workers) : product->product;
}

// All that the arrays follow from, beside the data.
std::string key_of(const Program& program) {
  std::string key;
  for (const std::string& text : program.definitions) key += text + '\n';
  for (const ArrayInfo& info : program.inputs) {
    key += symbol_of(info);
    for (const int64_t dim : logical_dims(info)) key += ' ' + std::to_string(dim);
    key += '\n';
  }
  return key;
}

constexpr double kKeptBytes = 96e6;

double bytes_of(const ProgramArrays& arrays) {
  double sum = 0;
  for (const auto& [symbol, array] : arrays.by_symbol) sum += static_cast<double>(array.bytes());
  return sum;
}

// Forgets the oldest until there is room for so many bytes.
void make_room(double bytes, ComputedArrays& made) {
  for (const ComputedArrays::Entry& entry : made.entries) bytes += bytes_of(entry.arrays);
  while (!made.entries.empty() && bytes > kKeptBytes) {
    bytes -= bytes_of(made.entries.front().arrays);
    made.entries.erase(made.entries.begin());
  }
}

}  // namespace

Result<ProgramArrays> program_arrays(const Program& program, const ProblemData& data, const Workers& workers,
                                     const std::stop_token& stop, ComputedArrays* made) {
  const bool keeps = made != nullptr && !program.definitions.empty();
  std::string key = keeps ? key_of(program) : std::string();
  if (keeps) {
    for (const ComputedArrays::Entry& entry : made->entries)
      if (entry.data == &data && entry.key == key) return entry.arrays;
  }
  ProgramArrays out;
  out.exact = data.exact;
  TRY_VOID(add_inputs(program, data, workers, out));
  if (keeps) make_room(bytes_of(out), *made);
  for (const std::string& text : program.definitions) {
    TRY(const Definition definition, parse_definition(text));
    TRY(Array array, evaluate(definition, out, workers, stop));
    out.by_symbol[definition.result.symbol] = std::move(array);
  }
  if (keeps) make_room(bytes_of(out), *made);
  if (keeps && bytes_of(out) <= kKeptBytes) made->entries.push_back({std::move(key), &data, out});
  return out;
}

std::pair<double, double> output_tolerance(const Program& program, const ProgramArrays& arrays,
                                           const ProblemData& data, const Array& expected) {
  if (program.definitions.empty()) return default_tolerance(data);
  if (arrays.exact) return {0, 0};
  const double rtol = default_rtol(data.problem, data.problem.dtype);
  double squares = 0;
  const int64_t count = expected.element_count();
  for (int64_t i = 0; i < count; ++i) squares += expected.at(i) * expected.at(i);
  return {rtol, rtol * std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, count)))};
}

}  // namespace shardscope::inline numerics
