// SPDX-License-Identifier: Apache-2.0
// The door to LAPACK: its routines by their names, for float, double and complex numbers of both.
// Single-threaded each, so that a result is the same on any number of threads. They give LAPACK's info: 0 is
// done.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace shardscope::inline numerics {

// Column-major, as LAPACK has them.
template <class T>
struct DenseMatrix {
  int rows = 0, columns = 0;
  std::vector<T> elements;

  DenseMatrix() = default;
  DenseMatrix(int64_t m, int64_t n)
      : rows(static_cast<int>(m)), columns(static_cast<int>(n)), elements(static_cast<size_t>(m * n)) {}
  T& at(int64_t r, int64_t c) { return elements[static_cast<size_t>(c * rows + r)]; }
  const T& at(int64_t r, int64_t c) const { return elements[static_cast<size_t>(c * rows + r)]; }
  int stride() const { return rows > 0 ? rows : 1; }
};

// More rows or columns than this are refused: LAPACK's integers have 32 bits, and nobody can stop it.
inline constexpr int64_t kMostMatrixRows = 16384;

namespace lapack {

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;

template <class T>
using Matrix = DenseMatrix<T>;
template <class T>
using Vector = std::vector<T>;

// Which of them may stand for the letters: side L or R, uplo L or U, trans N, T or C, diag N or U.
struct Triangle {
  char side = 'L', uplo = 'L', trans = 'N', diag = 'N';
};

template <class T>
int potrf(char uplo, Matrix<T>& a);
template <class T>
void trsm(const Triangle& how, const Matrix<T>& a, Matrix<T>& b);
template <class T>
int getrf(Matrix<T>& a, Vector<int>& pivots);
template <class T>
int geqrf(Matrix<T>& a, Vector<T>& tau);
template <class T>
int geqp3(Matrix<T>& a, Vector<int>& columns, Vector<T>& tau);
template <class T>
int orgqr(Matrix<T>& a, const Vector<T>& tau);
template <class T>
int ormqr(char side, bool transposed, const Matrix<T>& a, const Vector<T>& tau, Matrix<T>& c);
template <class T>
int syevd(char mode, char uplo, Matrix<T>& a, Vector<Real<T>>& values);
// mode: A, S or N. u and vt have the sizes that it asks for.
template <class T>
int gesdd(char mode, Matrix<T>& a, Vector<Real<T>>& values, Matrix<T>& u, Matrix<T>& vt);
template <class T>
int gesvd(char mode, Matrix<T>& a, Vector<Real<T>>& values, Matrix<T>& u, Matrix<T>& vt);
template <class T>
struct Tridiagonal {
  Vector<Real<T>> diagonal, beside;
  Vector<T> tau;
};
template <class T>
int sytrd(char uplo, Matrix<T>& a, Tridiagonal<T>& made);
template <class T>
int gehrd(int low, int high, Matrix<T>& a, Vector<T>& tau);
// Real matrices: eigenvalues in two parts; complex ones: `imaginary` stays as it is.
template <class T>
int gees(char mode, Matrix<T>& a, Vector<T>& values, Vector<T>& imaginary, Matrix<T>& vectors);
// Of a real matrix: pairs share two columns. Those without rows are not wanted.
template <class T>
struct Eigenvectors {
  Matrix<T> left, right;
};
template <class T>
int geev(Matrix<T>& a, Vector<T>& values, Vector<T>& imaginary, Eigenvectors<T>& vectors);
// `lower` and `upper` have one element less than `diagonal`.
template <class T>
struct Bands {
  Vector<T> lower, diagonal, upper;
};
template <class T>
int gtsv(Bands<T>& bands, Matrix<T>& b);

}  // namespace lapack
}  // namespace shardscope::inline numerics
