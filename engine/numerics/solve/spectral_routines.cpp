// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values, and the forms on the way to them.
#include "engine/numerics/solve/solve_shapes.h"

namespace shardscope::inline numerics::solve {
namespace {

// ---- eigenvalues, singular values

SolveSignature of_syevd(Shapes s, const SolveOptions&) {
  if (!is_square(s)) return {};
  SolveSignature out{{elements(s.operands[0])}, {elements(s.operands[0]), reals({s.operands[0][0]}), info()}};
  if (s.results.size() == 2) out.results.pop_back();  // Eigh of TPUs
  return out;
}
template <class T>
void syevd(const SolveItem& x) {
  const char mode = x.options->mode == 'N' ? 'N' : 'V';
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<lapack::Real<T>> values;
  const int info = lapack::syevd(mode, x.options->triangle.uplo, a, values);
  x.put(0, a);
  x.put(1, values);
  if (x.results.size() > 2) x.put(2, info);
}

// Both factors are square, or as long as there are values; where none is wanted they say nothing.
SolveSignature of_svd(Shapes s, const SolveOptions& options, bool turns_v) {
  if (!is_matrix(s) || s.results.size() != 5) return {};
  const int64_t m = s.operands[0][0], n = s.operands[0][1];
  SolveSignature out{{elements(s.operands[0])},
                     {elements(s.operands[0]), reals({least(s)}), {Of::unused}, {Of::unused}, info()}};
  if (options.mode == 'N' && !turns_v) return out;
  const bool whole = s.results[2] == Dims{m, m};
  const int64_t of_u = whole ? m : least(s), of_v = whole ? n : least(s);
  out.results[2] = elements({m, of_u});
  out.results[3] = turns_v ? elements({n, of_v}) : elements({of_v, n});
  return out;
}
SolveSignature of_gesvd(Shapes s, const SolveOptions& options) {
  return of_svd(s, options, false);
}
SolveSignature of_gesvdj(Shapes s, const SolveOptions& options) {
  return of_svd(s, options, true);
}
template <class T>
using Svd = int (*)(char, DenseMatrix<T>&, std::vector<lapack::Real<T>>&, DenseMatrix<T>&, DenseMatrix<T>&);
template <class T>
DenseMatrix<T> turned(const DenseMatrix<T>& a) {
  DenseMatrix<T> out(a.columns, a.rows);
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < a.columns; ++c) {
      if constexpr (std::is_same_v<T, lapack::Real<T>>)
        out.at(c, r) = a.at(r, c);
      else
        out.at(c, r) = std::conj(a.at(r, c));
    }
  return out;
}
template <class T>
void svd(const SolveItem& x, Svd<T> routine, bool turns_v) {
  DenseMatrix<T> a = x.matrix<T>(0), u, vt;
  const bool factors = x.options->mode != 'N' || turns_v;
  if (factors) {
    const Dims& of_v = x.results[3].dims;
    u = DenseMatrix<T>(a.rows, x.results[2].dims[1]);
    vt = DenseMatrix<T>(turns_v ? of_v[1] : of_v[0], a.columns);
  }
  const bool whole = u.columns == a.rows && vt.rows == a.columns;
  std::vector<lapack::Real<T>> values;
  const int info = routine(!factors ? 'N' : whole ? 'A' : 'S', a, values, u, vt);
  x.put(0, a);
  x.put(1, values);
  if (factors) {
    x.put(2, u);
    x.put(3, turns_v ? turned(vt) : vt);
  }
  x.put(4, info);
}
template <class T>
void gesdd(const SolveItem& x) {
  svd<T>(x, &lapack::gesdd<T>, false);
}
template <class T>
void gesvd(const SolveItem& x) {
  svd<T>(x, &lapack::gesvd<T>, false);
}
template <class T>
void gesvdj(const SolveItem& x) {
  svd<T>(x, &lapack::gesdd<T>, true);
}

SolveSignature of_sytrd(Shapes s, const SolveOptions&) {
  if (!is_square(s) || s.operands[0][0] == 0) return {};
  const Dims beside{s.operands[0][0] - 1};
  return {{elements(s.operands[0])},
          {elements(s.operands[0]), reals({s.operands[0][0]}), reals(beside), elements(beside), info()}};
}
template <class T>
void sytrd(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  lapack::Tridiagonal<T> made;
  const int info = lapack::sytrd(x.options->triangle.uplo, a, made);
  x.put(0, a);
  x.put(1, made.diagonal);
  x.put(2, made.beside);
  x.put(3, made.tau);
  x.put(4, info);
}

SolveSignature of_gehrd(Shapes s, const SolveOptions& options) {
  if (!is_square(s) || s.operands[0][0] == 0 || options.low < 1 || options.high > s.operands[0][0] ||
      options.low > options.high)
    return {};
  return {{elements(s.operands[0])}, {elements(s.operands[0]), elements({s.operands[0][0] - 1}), info()}};
}
template <class T>
void gehrd(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<T> tau;
  const int info = lapack::gehrd(static_cast<int>(x.options->low), static_cast<int>(x.options->high), a, tau);
  x.put(0, a);
  x.put(1, tau);
  x.put(2, info);
}

// Real matrices: eigenvalues in two parts.
SolveSignature of_gees(Shapes s, const SolveOptions& options) {
  if (!is_square(s)) return {};
  const SolvePart matrix = elements(s.operands[0]), values = elements({s.operands[0][0]});
  SolveSignature out{{matrix}, {matrix, matrix, values}};
  if (!options.is_complex) out.results.push_back(values);
  out.results.push_back(info());  // how many were selected
  out.results.push_back(info());
  return out;
}
template <class T>
void gees(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0), vectors(a.rows, a.rows);
  std::vector<T> values, imaginary;
  const int info = lapack::gees(x.options->mode == 'N' ? 'N' : 'V', a, values, imaginary, vectors);
  size_t next = 0;
  x.put(next++, a);
  x.put(next++, vectors);
  x.put(next++, values);
  if (!x.options->is_complex) x.put(next++, imaginary);
  x.put(next++, 0);
  x.put(next, info);
}

SolveSignature of_geev(Shapes s, const SolveOptions& options) {
  if (!is_square(s)) return {};
  const SolvePart values = elements({s.operands[0][0]}), vectors{Of::complex, s.operands[0]};
  SolveSignature out{{elements(s.operands[0])}, {values}};
  if (!options.is_complex) out.results.push_back(values);
  out.results.insert(out.results.end(), {vectors, vectors, info()});
  return out;
}
// Vectors of a conjugate pair stand in two columns: the real part, then the imaginary one.
template <class T>
DenseMatrix<std::complex<T>> unpacked(const DenseMatrix<T>& packed, const std::vector<T>& imaginary) {
  DenseMatrix<std::complex<T>> out(packed.rows, packed.columns);
  for (int64_t c = 0; c < packed.columns; ++c) {
    const bool pair = imaginary[static_cast<size_t>(c)] != 0 && c + 1 < packed.columns;
    for (int64_t r = 0; r < packed.rows; ++r) {
      out.at(r, c) = {packed.at(r, c), pair ? packed.at(r, c + 1) : T(0)};
      if (pair) out.at(r, c + 1) = std::conj(out.at(r, c));
    }
    if (pair) ++c;
  }
  return out;
}
template <class T>
void geev(const SolveItem& x) {
  DenseMatrix<T> a = x.matrix<T>(0);
  std::vector<T> values, imaginary;
  lapack::Eigenvectors<T> vectors;
  if (x.options->left) vectors.left = a;
  if (x.options->right) vectors.right = a;
  const int info = lapack::geev(a, values, imaginary, vectors);
  // Those that were not asked for are zeros.
  if (!x.options->left) vectors.left = DenseMatrix<T>(a.rows, a.rows);
  if (!x.options->right) vectors.right = DenseMatrix<T>(a.rows, a.rows);
  size_t next = 0;
  x.put(next++, values);
  if constexpr (std::is_same_v<T, lapack::Real<T>>) {
    x.put(next++, imaginary);
    x.put(next++, unpacked(vectors.left, imaginary));
    x.put(next++, unpacked(vectors.right, imaginary));
  } else {
    x.put(next++, vectors.left);
    x.put(next++, vectors.right);
  }
  x.put(next, info);
}

constexpr SolveRow kSpectralRows[] = {
    SHARDSCOPE_SOLVE(syevd, of_syevd),   SHARDSCOPE_SOLVE(gesdd, of_gesvd), SHARDSCOPE_SOLVE(gesvd, of_gesvd),
    SHARDSCOPE_SOLVE(gesvdj, of_gesvdj), SHARDSCOPE_SOLVE(sytrd, of_sytrd), SHARDSCOPE_SOLVE(gehrd, of_gehrd),
    SHARDSCOPE_SOLVE(gees, of_gees),     SHARDSCOPE_SOLVE(geev, of_geev),
};

}  // namespace

std::span<const SolveRow> spectral_routines() {
  return kSpectralRows;
}

}  // namespace shardscope::inline numerics::solve
