// SPDX-License-Identifier: Apache-2.0
// Derivatives of factorisations, solves and Fourier transforms.
#include <algorithm>
#include <numeric>

#include "engine/grad/turn.h"
#include "engine/program/ir/call_config.h"

namespace shardscope::inline grad {
namespace {

using Dims = std::vector<int64_t>;
using Transpose = TriangularSides::Transpose;

// Matrices in batches.
struct Matrices {
  GradPage& page;
  size_t rank;

  InstructionId transposed(InstructionId id) const {
    Dims order = iota_dims(rank);
    std::swap(order[rank - 1], order[rank - 2]);
    return page.transpose(id, order);
  }
  InstructionId product(InstructionId a, InstructionId b) const {
    DotDims dims;
    dims.lhs_batch = dims.rhs_batch = iota_dims(rank - 2);
    dims.lhs_contracting = {static_cast<int64_t>(rank) - 1};
    dims.rhs_contracting = {static_cast<int64_t>(rank) - 2};
    Dims to = page.dims(a);
    to.back() = page.dims(b).back();
    const InstructionId made = page.op(Opcode::dot, Shape::array(page.type(a), to), {a, b});
    page.edit(made).dot = dims;
    return made;
  }
  // The triangle, its diagonal times `diagonal`.
  InstructionId triangle(InstructionId id, bool lower, double diagonal) const {
    const Shape place = Shape::array(ElementType::s32, page.dims(id));
    const InstructionId row = page.iota(place, static_cast<int64_t>(rank) - 2),
                        column = page.iota(place, static_cast<int64_t>(rank) - 1);
    const InstructionId inside =
        page.compare(row, column, lower ? CompareDirection::gt : CompareDirection::lt);
    const InstructionId on = page.compare(row, column, CompareDirection::eq);
    const Shape shape = page.shape(id);
    const InstructionId scaled = page.op(Opcode::multiply, {page.constant(shape, diagonal), id});
    return page.select(inside, id, page.select(on, scaled, page.zeros(shape)));
  }
  InstructionId solved(InstructionId a, InstructionId b, const TriangularSides& sides) const {
    const InstructionId made = page.op(Opcode::triangular_solve, page.shape(b), {a, b});
    page.edit(made).attributes = sides;
    return made;
  }
};

// A = L Lᵀ: Ā = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹, made symmetric; Φ takes the lower triangle and halves the diagonal (Murray,
// "Differentiation of the Cholesky decomposition", 2016).
void give_cholesky(const GradTurn& t, InstructionId result, bool lower) {
  GradPage& page = t.page();
  const Matrices m{page, page.dims(result).size()};
  const InstructionId factor = lower ? result : m.transposed(result);
  const InstructionId l = m.triangle(factor, true, 1);
  const InstructionId bar = m.triangle(lower ? t.bar() : m.transposed(t.bar()), true, 1);
  const InstructionId phi = m.triangle(m.product(m.transposed(l), bar), true, 0.5);
  TriangularSides left, right;
  left.left_side = left.lower = right.lower = true;
  left.transpose = Transpose::transpose;
  right.transpose = Transpose::none;
  const InstructionId made = m.solved(l, m.solved(l, phi, left), right);
  const InstructionId both = page.op(Opcode::add, {made, m.transposed(made)});
  t.give(0, page.op(Opcode::multiply, {page.constant(page.shape(both), 0.5), both}));
}

// op(A) X = B: B̄ = op(A)⁻ᵀ X̄, Ā = −B̄ Xᵀ on A's triangle, transposed with op.
void give_triangular(const GradTurn& t, const TriangularSides& said) {
  const bool transposed = said.transpose == Transpose::transpose || said.transpose == Transpose::adjoint;
  TriangularSides back = said;
  back.transpose = transposed ? Transpose::none : Transpose::transpose;
  GradPage& page = t.page();
  const Matrices m{page, t.at().shape.rank()};
  const InstructionId bar = m.solved(t.operand(0), t.bar(), back);
  t.give(1, bar);
  if (!t.wants(0)) return;
  const InstructionId x = t.result();
  InstructionId a = said.left_side ? m.product(bar, m.transposed(x)) : m.product(m.transposed(x), bar);
  if (transposed) a = m.transposed(a);
  t.give(0, page.op(Opcode::negate, {m.triangle(a, said.lower, said.unit_diagonal ? 0 : 1)}));
}

// P A = L U: P Ā = L⁻ᵀ (tril(Lᵀ L̄, -1) + triu(Ū Uᵀ)) U⁻ᵀ (de Hoog, Anderssen, Lukas, "Differentiation of
// matrix functionals using triangular factorization", 2011).
void give_lu(const GradTurn& t, InstructionId factors, InstructionId permutation) {
  GradPage& page = t.page();
  const Matrices m{page, page.dims(factors).size()};
  const Shape shape = page.shape(factors), places = Shape::array(ElementType::s32, shape.dims);
  const auto rows = static_cast<int64_t>(m.rank) - 2, columns = rows + 1;
  const InstructionId diagonal =
      page.compare(page.iota(places, rows), page.iota(places, columns), CompareDirection::eq);
  const InstructionId l = page.select(diagonal, page.constant(shape, 1), m.triangle(factors, true, 0));
  const InstructionId u = m.triangle(factors, false, 1);
  const InstructionId l_bar = m.triangle(t.bar(), true, 0), u_bar = m.triangle(t.bar(), false, 1);
  const InstructionId below = m.triangle(m.product(m.transposed(l), l_bar), true, 0),
                      above = m.triangle(m.product(u_bar, m.transposed(u)), false, 1);
  TriangularSides of_l, of_u;
  of_l.left_side = of_l.lower = of_l.unit_diagonal = true;
  of_l.transpose = of_u.transpose = Transpose::transpose;
  const InstructionId permuted = m.solved(u, m.solved(l, page.op(Opcode::add, {below, above}), of_l), of_u);
  std::vector<int64_t> map = iota_dims(m.rank - 1);
  const InstructionId from = page.broadcast(page.convert(permutation, ElementType::s32), shape.dims, map);
  const InstructionId moves = page.compare(from, page.iota(places, columns), CompareDirection::eq);
  t.give(0, m.product(m.transposed(page.convert(moves, shape.type)), permuted));
}

bool says(const Instruction& call, std::string_view key, char letter) {
  return call_number(call, key) == int64_t{letter};
}

}  // namespace

Result<void> grad_cholesky(const GradTurn& t) {
  const auto* side = std::get_if<CholeskySide>(&*t.at().attributes);
  if (is_complex(t.at().shape.type)) return t.error("of complex matrices it is not written");
  give_cholesky(t, t.result(), side == nullptr || side->lower);
  return {};
}

Result<void> grad_potrf(const GradTurn& t) {
  if (is_complex(t.operand_shape(0).type)) return t.error("of complex matrices it is not written");
  give_cholesky(t, t.page().element(t.result(), 0), says(t.at(), "uplo", 'L'));
  return {};
}

// LAPACK counts exchanged rows from 1; a call of ours makes their permutation.
Result<void> grad_getrf(const GradTurn& t) {
  GradPage& page = t.page();
  const std::vector<int64_t>& dims = t.operand_dims(0);
  if (is_complex(t.operand_shape(0).type) || dims[dims.size() - 1] != dims[dims.size() - 2])
    return t.error("only of square matrices of real numbers it is written");
  const InstructionId exchanges = page.element(t.result(), 1);
  const Shape places = Shape::array(ElementType::s32, page.dims(exchanges));
  const InstructionId from_zero = page.op(Opcode::subtract, {exchanges, page.constant(places, 1)});
  const InstructionId permutation = page.op(Opcode::custom_call, places, {from_zero});
  page.edit(permutation).attributes = CustomCall{"cu_lu_pivots_to_permutation"};
  give_lu(t, page.element(t.result(), 0), permutation);
  return {};
}

Result<void> grad_triangular_solve(const GradTurn& t) {
  const auto* said = std::get_if<TriangularSides>(&*t.at().attributes);
  if (said == nullptr || is_complex(t.at().shape.type))
    return t.error("of complex matrices it is not written");
  give_triangular(t, *said);
  return {};
}

Result<void> grad_trsm(const GradTurn& t) {
  if (is_complex(t.operand_shape(0).type)) return t.error("of complex matrices it is not written");
  TriangularSides sides;
  sides.left_side = says(t.at(), "side", 'L');
  sides.lower = says(t.at(), "uplo", 'L');
  sides.unit_diagonal = says(t.at(), "diag", 'U');
  sides.transpose = says(t.at(), "trans_x", 'N') ? Transpose::none : Transpose::transpose;
  give_triangular(t, sides);
  return {};
}

// The matrix of a transform is symmetric. That of real arrays is the first half of the whole one; that back
// to real arrays counts twice what stands for its conjugate too.
Result<void> grad_fft(const GradTurn& t) {
  const auto* fft = std::get_if<Fft>(&*t.at().attributes);
  if (fft == nullptr) return t.error("it does not say which transform it is");
  GradPage& page = t.page();
  const auto transformed = [&](FftType type, InstructionId id, Shape shape) {
    const InstructionId made = page.op(Opcode::fft, std::move(shape), {id});
    page.edit(made).attributes = Fft{type, fft->length};
    return made;
  };
  const auto part = [&](Opcode opcode, InstructionId id) {
    return page.op(opcode, Shape::array(real_type(page.type(id)), page.dims(id)), {id});
  };
  if (fft->type == FftType::fft || fft->type == FftType::ifft) {
    t.give(0, transformed(fft->type, t.bar(), page.shape(t.bar())));
  } else if (fft->type == FftType::rfft) {
    std::vector<PadDim> padding(t.at().shape.rank());
    padding.back().high = fft->length.back() - t.at().shape.dims.back();
    const InstructionId whole = page.pad(t.bar(), padding);
    t.give(0, part(Opcode::real, transformed(FftType::fft, whole, page.shape(whole))));
  } else {
    const Shape shape = Shape::array(t.operand_shape(0).type, t.operand_dims(0));
    const InstructionId made = transformed(FftType::rfft, t.bar(), shape);
    double scale = 1;
    for (const int64_t length : fft->length) scale /= static_cast<double>(length);
    const Shape real = Shape::array(real_type(shape.type), shape.dims);
    const auto last = static_cast<int64_t>(shape.rank()) - 1;
    const Shape places = Shape::array(ElementType::s32, shape.dims);
    const InstructionId place = page.iota(places, last);
    InstructionId alone = page.compare(place, page.zeros(places), CompareDirection::eq);
    if (fft->length.back() % 2 == 0)
      alone = page.op(
          Opcode::or_, Shape::array(ElementType::pred, shape.dims),
          {alone, page.compare(place, page.constant(places, static_cast<double>(shape.dims.back() - 1)),
                               CompareDirection::eq)});
    const InstructionId weight =
        page.select(alone, page.constant(real, scale), page.constant(real, 2 * scale));
    const InstructionId re = page.op(Opcode::multiply, {part(Opcode::real, made), weight});
    const InstructionId im = page.op(Opcode::multiply, {part(Opcode::imag, made), weight});
    t.give(0, page.op(Opcode::complex, shape, {re, page.op(Opcode::negate, {im})}));
  }
  return {};
}

}  // namespace shardscope::inline grad
