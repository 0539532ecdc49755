// SPDX-License-Identifier: Apache-2.0
// Factorisations and systems of equations.
#include <limits>

#include "engine/numerics/solve/solve_shapes.h"

namespace shardscope::inline numerics::solve {
namespace {

// ---- Cholesky, triangular systems

SolveSignature of_potrf(Shapes s, const SolveOptions&) {
  if (!is_square(s)) return {};
  return {{elements(s.operands[0])}, {elements(s.operands[0]), info()}};
}
template <class T>
void potrf(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  x.put(1, lapack::potrf(x.options->triangle.uplo, a));
  x.put(0, a);
}

// One triangle, zeros in the other; NaN where there is no factor.
SolveSignature of_cholesky(Shapes s, const SolveOptions&) {
  if (!is_square(s)) return {};
  return {{elements(s.operands[0])}, {elements(s.operands[0])}};
}
template <class T>
void cholesky(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  const char uplo = x.options->triangle.uplo;
  const bool failed = lapack::potrf(uplo, a) != 0;
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < a.columns; ++c) {
      const bool kept = uplo == 'L' ? c <= r : r <= c;
      if (!kept) a.at(r, c) = T(0);
      if (kept && failed) a.at(r, c) = std::numeric_limits<lapack::Real<T>>::quiet_NaN();
    }
  x.put(0, a);
}

SolveSignature of_trsm(Shapes s, const SolveOptions& options) {
  if (!is_square(s) || s.operands.size() < 2 || s.operands[1].size() != 2) return {};
  if (s.operands[1][options.triangle.side == 'L' ? 0 : 1] != s.operands[0][0]) return {};
  return {{elements(s.operands[0]), elements(s.operands[1])}, {elements(s.operands[1])}};
}
template <class T>
void trsm(const SolveItem& x) {
  DenseMatrix<T> b = x.matrix<T>(1);
  lapack::trsm(x.options->triangle, x.matrix<T>(0), b);
  x.put(0, b);
}

// ---- LU

SolveSignature of_getrf(Shapes s, const SolveOptions&) {
  if (!is_matrix(s)) return {};
  return {{elements(s.operands[0])}, {elements(s.operands[0]), integers({least(s)}), info()}};
}
template <class T>
void getrf(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<int> pivots;
  const int info = lapack::getrf(a, pivots);
  x.put(0, a);
  x.put(1, pivots);
  x.put(2, info);
}

SolveSignature of_lu(Shapes s, const SolveOptions&) {
  if (!is_matrix(s)) return {};
  return {{elements(s.operands[0])},
          {elements(s.operands[0]), integers({least(s)}), integers({s.operands[0][0]})}};
}
template <class T>
void lu(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<int> pivots;
  lapack::getrf(a, pivots);
  for (int& pivot : pivots) --pivot;
  x.put(0, a);
  x.put(1, pivots);
  x.put(2, permutation_of(pivots, a.rows));
}

// ---- QR

SolveSignature of_geqrf(Shapes s, const SolveOptions&) {
  if (!is_matrix(s)) return {};
  return {{elements(s.operands[0])}, {elements(s.operands[0]), elements({least(s)})}};
}
template <class T>
void geqrf(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<T> tau;
  lapack::geqrf(a, tau);
  x.put(0, a);
  x.put(1, tau);
}

SolveSignature of_geqp3(Shapes s, const SolveOptions&) {
  if (!is_matrix(s)) return {};
  const Dims columns{s.operands[0][1]};
  return {{elements(s.operands[0]), integers(columns)},
          {elements(s.operands[0]), integers(columns), elements({least(s)})}};
}
template <class T>
void geqp3(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<int> columns = x.vector<int>(1);
  std::vector<T> tau;
  lapack::geqp3(a, columns, tau);
  x.put(0, a);
  x.put(1, columns);
  x.put(2, tau);
}

SolveSignature of_orgqr(Shapes s, const SolveOptions&) {
  if (!is_matrix(s) || s.operands.size() < 2 || s.operands[1].size() != 1 ||
      s.operands[0][0] < s.operands[0][1] || s.operands[1][0] > s.operands[0][1])
    return {};
  return {{elements(s.operands[0]), elements(s.operands[1])}, {elements(s.operands[0])}};
}
template <class T>
void orgqr(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  lapack::orgqr(a, x.vector<T>(1));
  x.put(0, a);
}

SolveSignature of_ormqr(Shapes s, const SolveOptions& options) {
  if (!is_matrix(s) || s.operands.size() < 3 || s.operands[1].size() != 1 || s.operands[2].size() != 2)
    return {};
  const int64_t side = s.operands[2][options.triangle.side == 'L' ? 0 : 1];
  if (s.operands[0][0] != side || s.operands[1][0] > s.operands[0][1] || s.operands[1][0] > side) return {};
  return {{elements(s.operands[0]), elements(s.operands[1]), elements(s.operands[2])},
          {elements(s.operands[2])}};
}
template <class T>
void ormqr(const SolveItem& x) {
  DenseMatrix<T> c = x.matrix<T>(2);
  lapack::ormqr(x.options->triangle.side, x.options->transposed, x.matrix<T>(0), x.vector<T>(1), c);
  x.put(0, c);
}

// ---- tridiagonal systems

bool is_banded(Shapes s) {
  return s.operands.size() >= 4 && s.operands[0].size() == 1 && s.operands[1] == s.operands[0] &&
         s.operands[2] == s.operands[0] && s.operands[3].size() == 2 && s.operands[3][0] == s.operands[0][0];
}
SolveSignature of_gtsv(Shapes s, const SolveOptions&) {
  if (!is_banded(s)) return {};
  SolveSignature out;
  for (size_t k = 0; k < 4; ++k) out.operands.push_back(elements(s.operands[k]));
  out.results = out.operands;
  out.results.push_back(info());
  return out;
}
SolveSignature of_gtsv2(Shapes s, const SolveOptions&) {
  if (!is_banded(s)) return {};
  SolveSignature out;
  for (size_t k = 0; k < 4; ++k) out.operands.push_back(elements(s.operands[k]));
  out.results = {elements(s.operands[3])};
  return out;
}
// The first element of the lower band and the last of the upper one are beyond the matrix.
template <class T>
lapack::Bands<T> bands_of(const SolveItem& x) {
  lapack::Bands<T> out{x.vector<T>(0), x.vector<T>(1), x.vector<T>(2)};
  if (!out.lower.empty()) {
    out.lower.erase(out.lower.begin());
    out.upper.pop_back();
  }
  return out;
}
template <class T>
void gtsv(const SolveItem& x) {
  lapack::Bands<T> bands = bands_of<T>(x);
  DenseMatrix<T> b = x.matrix<T>(3);
  const int info = lapack::gtsv(bands, b);
  std::vector<T> lower = x.vector<T>(0), upper = x.vector<T>(2);
  std::ranges::copy(bands.lower, lower.begin() + (lower.empty() ? 0 : 1));
  std::ranges::copy(bands.upper, upper.begin());
  x.put(0, lower);
  x.put(1, bands.diagonal);
  x.put(2, upper);
  x.put(3, b);
  x.put(4, info);
}
template <class T>
void gtsv2(const SolveItem& x) {
  lapack::Bands<T> bands = bands_of<T>(x);
  DenseMatrix<T> b = x.matrix<T>(3);
  lapack::gtsv(bands, b);
  x.put(0, b);
}

constexpr SolveRow kFactorRows[] = {
    SHARDSCOPE_SOLVE(potrf, of_potrf), SHARDSCOPE_SOLVE(cholesky, of_cholesky),
    SHARDSCOPE_SOLVE(trsm, of_trsm),   SHARDSCOPE_SOLVE(getrf, of_getrf),
    SHARDSCOPE_SOLVE(lu, of_lu),       SHARDSCOPE_SOLVE(geqrf, of_geqrf),
    SHARDSCOPE_SOLVE(geqp3, of_geqp3), SHARDSCOPE_SOLVE(orgqr, of_orgqr),
    SHARDSCOPE_SOLVE(ormqr, of_ormqr), SHARDSCOPE_SOLVE(gtsv, of_gtsv),
    SHARDSCOPE_SOLVE(gtsv2, of_gtsv2),
};

}  // namespace

std::span<const SolveRow> factor_routines() {
  return kFactorRows;
}

}  // namespace shardscope::inline numerics::solve
