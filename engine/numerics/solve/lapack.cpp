// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/solve/lapack.h"

#include <algorithm>
#include <mutex>

extern "C" {
void openblas_set_num_threads(int threads);

// Fortran's names: every argument is a pointer, the lengths of texts stand behind all of them.
#define SHARDSCOPE_LAPACK(x, T, R, or_, sy)                                                              \
  void x##potrf_(const char*, const int*, T*, const int*, int*, size_t);                                 \
  void x##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*,    \
                const T*, const int*, T*, const int*, size_t, size_t, size_t, size_t);                   \
  void x##getrf_(const int*, const int*, T*, const int*, int*, int*);                                    \
  void x##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                      \
  void x##or_##gqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*); \
  void x##or_##mqr_(const char*, const char*, const int*, const int*, const int*, const T*, const int*,  \
                    const T*, T*, const int*, T*, const int*, int*, size_t, size_t);                     \
  void x##sy##trd_(const char*, const int*, T*, const int*, R*, R*, T*, T*, const int*, int*, size_t);   \
  void x##gehrd_(const int*, const int*, const int*, T*, const int*, T*, T*, const int*, int*);          \
  void x##gtsv_(const int*, const int*, T*, T*, T*, T*, const int*, int*);

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
SHARDSCOPE_LAPACK(s, float, float, or, sy)
SHARDSCOPE_LAPACK(d, double, double, or, sy)
SHARDSCOPE_LAPACK(c, Complex64, float, un, he)
SHARDSCOPE_LAPACK(z, Complex128, double, un, he)
#undef SHARDSCOPE_LAPACK

// Those that take memory of one kind more for complex numbers.
#define SHARDSCOPE_LAPACK_REAL(x, T)                                                                         \
  void x##geqp3_(const int*, const int*, T*, const int*, int*, T*, T*, const int*, int*);                    \
  void x##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, \
                 int*, size_t, size_t);                                                                      \
  void x##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*,    \
                 T*, const int*, int*, int*, size_t);                                                        \
  void x##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*,   \
                 const int*, T*, const int*, int*, size_t, size_t);                                          \
  void x##gees_(const char*, const char*, void*, const int*, T*, const int*, int*, T*, T*, T*, const int*,   \
                T*, const int*, int*, int*, size_t, size_t);                                                 \
  void x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*,            \
                const int*, T*, const int*, int*, size_t, size_t);
SHARDSCOPE_LAPACK_REAL(s, float)
SHARDSCOPE_LAPACK_REAL(d, double)
#undef SHARDSCOPE_LAPACK_REAL

#define SHARDSCOPE_LAPACK_COMPLEX(x, T, R)                                                                 \
  void x##geqp3_(const int*, const int*, T*, const int*, int*, T*, T*, const int*, R*, int*);              \
  void x##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, \
                 int*, const int*, int*, size_t, size_t);                                                  \
  void x##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*,  \
                 T*, const int*, R*, int*, int*, size_t);                                                  \
  void x##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, \
                 const int*, T*, const int*, R*, int*, size_t, size_t);                                    \
  void x##gees_(const char*, const char*, void*, const int*, T*, const int*, int*, T*, T*, const int*, T*, \
                const int*, R*, int*, int*, size_t, size_t);                                               \
  void x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*,  \
                T*, const int*, R*, int*, size_t, size_t);
SHARDSCOPE_LAPACK_COMPLEX(c, Complex64, float)
SHARDSCOPE_LAPACK_COMPLEX(z, Complex128, double)
#undef SHARDSCOPE_LAPACK_COMPLEX
}

namespace shardscope::inline numerics::lapack {
// Not without a name: templates of other names are made of it.
namespace calls {

template <class T>
inline constexpr bool kComplex = !std::is_same_v<T, Real<T>>;

// The routines of one type, so that the templates below may name them.
template <class T>
struct Routines;
#define SHARDSCOPE_ROUTINES(x, T, or_, sy)       \
  template <>                                    \
  struct Routines<T> {                           \
    static constexpr auto potrf = &x##potrf_;    \
    static constexpr auto trsm = &x##trsm_;      \
    static constexpr auto getrf = &x##getrf_;    \
    static constexpr auto geqrf = &x##geqrf_;    \
    static constexpr auto geqp3 = &x##geqp3_;    \
    static constexpr auto orgqr = &x##or_##gqr_; \
    static constexpr auto ormqr = &x##or_##mqr_; \
    static constexpr auto syevd = &x##sy##evd_;  \
    static constexpr auto gesdd = &x##gesdd_;    \
    static constexpr auto gesvd = &x##gesvd_;    \
    static constexpr auto sytrd = &x##sy##trd_;  \
    static constexpr auto gehrd = &x##gehrd_;    \
    static constexpr auto gees = &x##gees_;      \
    static constexpr auto geev = &x##geev_;      \
    static constexpr auto gtsv = &x##gtsv_;      \
  };
SHARDSCOPE_ROUTINES(s, float, or, sy)
SHARDSCOPE_ROUTINES(d, double, or, sy)
SHARDSCOPE_ROUTINES(c, Complex64, un, he)
SHARDSCOPE_ROUTINES(z, Complex128, un, he)
#undef SHARDSCOPE_ROUTINES

inline void one_thread_each() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

// How much memory a routine asks for, and that memory.
template <class T>
struct Work {
  std::vector<T> memory = std::vector<T>(1);
  int size = -1;  // -1: it is asked

  T* data() { return memory.data(); }
  void settle() {
    size = std::max(1, static_cast<int>(std::real(memory.front())));
    memory.resize(static_cast<size_t>(size));
  }
};

// Calls run(work) twice: the first time it says how much it needs.
template <class T, class F>
int with_work(F&& run) {
  one_thread_each();
  Work<T> work;
  int info = 0;
  run(work, info);
  if (info != 0) return info;
  work.settle();
  run(work, info);
  return info;
}

inline size_t at_least_one(int64_t size) {
  return static_cast<size_t>(std::max<int64_t>(1, size));
}

}  // namespace calls
using namespace calls;

template <class T>
int potrf(char uplo, Matrix<T>& a) {
  one_thread_each();
  int info = 0;
  const int stride = a.stride();
  Routines<T>::potrf(&uplo, &a.rows, a.elements.data(), &stride, &info, 1);
  return info;
}

template <class T>
void trsm(const Triangle& how, const Matrix<T>& a, Matrix<T>& b) {
  one_thread_each();
  const T one(1);
  const int a_stride = a.stride(), b_stride = b.stride();
  Routines<T>::trsm(&how.side, &how.uplo, &how.trans, &how.diag, &b.rows, &b.columns, &one, a.elements.data(),
                    &a_stride, b.elements.data(), &b_stride, 1, 1, 1, 1);
}

template <class T>
int getrf(Matrix<T>& a, Vector<int>& pivots) {
  one_thread_each();
  int info = 0;
  const int stride = a.stride();
  pivots.resize(static_cast<size_t>(std::min(a.rows, a.columns)));
  Routines<T>::getrf(&a.rows, &a.columns, a.elements.data(), &stride, pivots.data(), &info);
  return info;
}

template <class T>
int geqrf(Matrix<T>& a, Vector<T>& tau) {
  const int stride = a.stride();
  tau.resize(static_cast<size_t>(std::min(a.rows, a.columns)));
  return with_work<T>([&](Work<T>& work, int& info) {
    Routines<T>::geqrf(&a.rows, &a.columns, a.elements.data(), &stride, tau.data(), work.data(), &work.size,
                       &info);
  });
}

template <class T>
int geqp3(Matrix<T>& a, Vector<int>& columns, Vector<T>& tau) {
  const int stride = a.stride();
  tau.resize(static_cast<size_t>(std::min(a.rows, a.columns)));
  std::vector<Real<T>> real(at_least_one(2 * int64_t{a.columns}));
  return with_work<T>([&](Work<T>& work, int& info) {
    if constexpr (kComplex<T>)
      Routines<T>::geqp3(&a.rows, &a.columns, a.elements.data(), &stride, columns.data(), tau.data(),
                         work.data(), &work.size, real.data(), &info);
    else
      Routines<T>::geqp3(&a.rows, &a.columns, a.elements.data(), &stride, columns.data(), tau.data(),
                         work.data(), &work.size, &info);
  });
}

template <class T>
int orgqr(Matrix<T>& a, const Vector<T>& tau) {
  const int stride = a.stride(), count = static_cast<int>(tau.size());
  return with_work<T>([&](Work<T>& work, int& info) {
    Routines<T>::orgqr(&a.rows, &a.columns, &count, a.elements.data(), &stride, tau.data(), work.data(),
                       &work.size, &info);
  });
}

template <class T>
int ormqr(char side, bool transposed, const Matrix<T>& a, const Vector<T>& tau, Matrix<T>& c) {
  const char trans = !transposed ? 'N' : kComplex<T> ? 'C' : 'T';
  const int a_stride = a.stride(), c_stride = c.stride(), count = static_cast<int>(tau.size());
  return with_work<T>([&](Work<T>& work, int& info) {
    Routines<T>::ormqr(&side, &trans, &c.rows, &c.columns, &count, a.elements.data(), &a_stride, tau.data(),
                       c.elements.data(), &c_stride, work.data(), &work.size, &info, 1, 1);
  });
}

template <class T>
int syevd(char mode, char uplo, Matrix<T>& a, Vector<Real<T>>& values) {
  one_thread_each();
  const int n = a.rows, stride = a.stride();
  values.resize(static_cast<size_t>(n));
  Work<T> work;
  Work<Real<T>> real;
  Work<int> whole;
  int info = 0;
  const auto run = [&] {
    if constexpr (kComplex<T>)
      Routines<T>::syevd(&mode, &uplo, &n, a.elements.data(), &stride, values.data(), work.data(), &work.size,
                         real.data(), &real.size, whole.data(), &whole.size, &info, 1, 1);
    else
      Routines<T>::syevd(&mode, &uplo, &n, a.elements.data(), &stride, values.data(), work.data(), &work.size,
                         whole.data(), &whole.size, &info, 1, 1);
  };
  run();
  if (info != 0) return info;
  work.settle();
  real.settle();
  whole.settle();
  run();
  return info;
}

template <class T>
int gesdd(char mode, Matrix<T>& a, Vector<Real<T>>& values, Matrix<T>& u, Matrix<T>& vt) {
  const int stride = a.stride(), u_stride = u.stride(), vt_stride = vt.stride();
  const int64_t least = std::min(a.rows, a.columns), most = std::max(a.rows, a.columns);
  values.resize(static_cast<size_t>(least));
  std::vector<int> whole(at_least_one(8 * least));
  std::vector<Real<T>> real(at_least_one(least * std::max(5 * least + 7, 2 * most + 2 * least + 1)));
  return with_work<T>([&](Work<T>& work, int& info) {
    if constexpr (kComplex<T>)
      Routines<T>::gesdd(&mode, &a.rows, &a.columns, a.elements.data(), &stride, values.data(),
                         u.elements.data(), &u_stride, vt.elements.data(), &vt_stride, work.data(),
                         &work.size, real.data(), whole.data(), &info, 1);
    else
      Routines<T>::gesdd(&mode, &a.rows, &a.columns, a.elements.data(), &stride, values.data(),
                         u.elements.data(), &u_stride, vt.elements.data(), &vt_stride, work.data(),
                         &work.size, whole.data(), &info, 1);
  });
}

template <class T>
int gesvd(char mode, Matrix<T>& a, Vector<Real<T>>& values, Matrix<T>& u, Matrix<T>& vt) {
  const int stride = a.stride(), u_stride = u.stride(), vt_stride = vt.stride();
  const int64_t least = std::min(a.rows, a.columns);
  values.resize(static_cast<size_t>(least));
  std::vector<Real<T>> real(at_least_one(5 * least));
  return with_work<T>([&](Work<T>& work, int& info) {
    if constexpr (kComplex<T>)
      Routines<T>::gesvd(&mode, &mode, &a.rows, &a.columns, a.elements.data(), &stride, values.data(),
                         u.elements.data(), &u_stride, vt.elements.data(), &vt_stride, work.data(),
                         &work.size, real.data(), &info, 1, 1);
    else
      Routines<T>::gesvd(&mode, &mode, &a.rows, &a.columns, a.elements.data(), &stride, values.data(),
                         u.elements.data(), &u_stride, vt.elements.data(), &vt_stride, work.data(),
                         &work.size, &info, 1, 1);
  });
}

template <class T>
int sytrd(char uplo, Matrix<T>& a, Tridiagonal<T>& made) {
  const int stride = a.stride();
  const auto beside = static_cast<size_t>(std::max(0, a.rows - 1));
  made = {Vector<Real<T>>(static_cast<size_t>(a.rows)), Vector<Real<T>>(beside), Vector<T>(beside)};
  return with_work<T>([&](Work<T>& work, int& info) {
    Routines<T>::sytrd(&uplo, &a.rows, a.elements.data(), &stride, made.diagonal.data(), made.beside.data(),
                       made.tau.data(), work.data(), &work.size, &info, 1);
  });
}

template <class T>
int gehrd(int low, int high, Matrix<T>& a, Vector<T>& tau) {
  const int stride = a.stride();
  tau.assign(static_cast<size_t>(std::max(0, a.rows - 1)), T(0));
  return with_work<T>([&](Work<T>& work, int& info) {
    Routines<T>::gehrd(&a.rows, &low, &high, a.elements.data(), &stride, tau.data(), work.data(), &work.size,
                       &info);
  });
}

template <class T>
int gees(char mode, Matrix<T>& a, Vector<T>& values, Vector<T>& imaginary, Matrix<T>& vectors) {
  const char unsorted = 'N';
  const int n = a.rows, stride = a.stride(), vectors_stride = vectors.stride();
  int selected = 0;
  values.resize(static_cast<size_t>(n));
  std::vector<int> truths(at_least_one(n));
  std::vector<Real<T>> real(at_least_one(n));
  if (!kComplex<T>) imaginary.resize(static_cast<size_t>(n));
  return with_work<T>([&](Work<T>& work, int& info) {
    if constexpr (kComplex<T>)
      Routines<T>::gees(&mode, &unsorted, nullptr, &n, a.elements.data(), &stride, &selected, values.data(),
                        vectors.elements.data(), &vectors_stride, work.data(), &work.size, real.data(),
                        truths.data(), &info, 1, 1);
    else
      Routines<T>::gees(&mode, &unsorted, nullptr, &n, a.elements.data(), &stride, &selected, values.data(),
                        imaginary.data(), vectors.elements.data(), &vectors_stride, work.data(), &work.size,
                        truths.data(), &info, 1, 1);
  });
}

template <class T>
int geev(Matrix<T>& a, Vector<T>& values, Vector<T>& imaginary, Eigenvectors<T>& vectors) {
  const char with_left = vectors.left.rows > 0 ? 'V' : 'N', with_right = vectors.right.rows > 0 ? 'V' : 'N';
  const int n = a.rows, stride = a.stride();
  values.resize(static_cast<size_t>(n));
  std::vector<Real<T>> real(at_least_one(2 * int64_t{n}));
  if (!kComplex<T>) imaginary.resize(static_cast<size_t>(n));
  return with_work<T>([&](Work<T>& work, int& info) {
    if constexpr (kComplex<T>)
      Routines<T>::geev(&with_left, &with_right, &n, a.elements.data(), &stride, values.data(),
                        vectors.left.elements.data(), &stride, vectors.right.elements.data(), &stride,
                        work.data(), &work.size, real.data(), &info, 1, 1);
    else
      Routines<T>::geev(&with_left, &with_right, &n, a.elements.data(), &stride, values.data(),
                        imaginary.data(), vectors.left.elements.data(), &stride,
                        vectors.right.elements.data(), &stride, work.data(), &work.size, &info, 1, 1);
  });
}

template <class T>
int gtsv(Bands<T>& bands, Matrix<T>& b) {
  one_thread_each();
  int info = 0;
  const int stride = b.stride();
  Routines<T>::gtsv(&b.rows, &b.columns, bands.lower.data(), bands.diagonal.data(), bands.upper.data(),
                    b.elements.data(), &stride, &info);
  return info;
}

#define SHARDSCOPE_FOR(T)                                                         \
  template int potrf(char, Matrix<T>&);                                           \
  template void trsm(const Triangle&, const Matrix<T>&, Matrix<T>&);              \
  template int getrf(Matrix<T>&, Vector<int>&);                                   \
  template int geqrf(Matrix<T>&, Vector<T>&);                                     \
  template int geqp3(Matrix<T>&, Vector<int>&, Vector<T>&);                       \
  template int orgqr(Matrix<T>&, const Vector<T>&);                               \
  template int ormqr(char, bool, const Matrix<T>&, const Vector<T>&, Matrix<T>&); \
  template int syevd(char, char, Matrix<T>&, Vector<Real<T>>&);                   \
  template int gesdd(char, Matrix<T>&, Vector<Real<T>>&, Matrix<T>&, Matrix<T>&); \
  template int gesvd(char, Matrix<T>&, Vector<Real<T>>&, Matrix<T>&, Matrix<T>&); \
  template int sytrd(char, Matrix<T>&, Tridiagonal<T>&);                          \
  template int gehrd(int, int, Matrix<T>&, Vector<T>&);                           \
  template int gees(char, Matrix<T>&, Vector<T>&, Vector<T>&, Matrix<T>&);        \
  template int geev(Matrix<T>&, Vector<T>&, Vector<T>&, Eigenvectors<T>&);        \
  template int gtsv(Bands<T>&, Matrix<T>&);
SHARDSCOPE_FOR(float)
SHARDSCOPE_FOR(double)
SHARDSCOPE_FOR(std::complex<float>)
SHARDSCOPE_FOR(std::complex<double>)
#undef SHARDSCOPE_FOR

}  // namespace shardscope::inline numerics::lapack
