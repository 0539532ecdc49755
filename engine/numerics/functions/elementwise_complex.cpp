// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engine/numerics/functions/complex_functions.h"
#include "engine/numerics/functions/elementwise_loops.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics::elementwise {
namespace {

namespace functions = complex_functions;

template <class Tag>
OpTable<Two> complex_two() {
  using C = typename Tag::Computed;
  using Wide = std::complex<double>;
  return {{},
          {{Opcode::add, two<Tag>([](C x, C y) { return x + y; })},
           {Opcode::subtract, two<Tag>([](C x, C y) { return x - y; })},
           {Opcode::multiply, two<Tag>([](C x, C y) { return functions::product(x, y); })},
           {Opcode::divide, two<Tag>([](C x, C y) { return Wide(x) / Wide(y); })},
           {Opcode::atan2, two<Tag>([](C y, C x) { return functions::atan2(y, x); })},
           {Opcode::power, two<Tag>([](C x, C y) { return functions::power(x, y); })}}};
}

// Made in double: what cancels between the parts does so there.
template <class Tag>
OpTable<One> complex_one() {
  using Real = element::Element<std::is_same_v<Tag, element::Element<ElementType::c64>> ? ElementType::f32
                                                                                        : ElementType::f64>;
  using C = std::complex<double>;
  return {{},
          {{Opcode::real, one<Tag, Real>([](C z) { return z.real(); })},
           {Opcode::imag, one<Tag, Real>([](C z) { return z.imag(); })},
           {Opcode::abs, one<Tag, Real>([](C z) { return std::hypot(z.real(), z.imag()); })},
           {Opcode::negate, one<Tag>([](C z) { return -z; })},
           {Opcode::sign, one<Tag>([](C z) { return functions::sign(z); })},
           {Opcode::exponential, one<Tag>([](C z) { return std::exp(z); })},
           {Opcode::exponential_minus_one, one<Tag>([](C z) { return functions::exp_minus_one(z); })},
           {Opcode::log, one<Tag>([](C z) { return std::log(z); })},
           {Opcode::log_plus_one, one<Tag>([](C z) { return functions::log_plus_one(z); })},
           {Opcode::sqrt, one<Tag>([](C z) { return std::sqrt(z); })},
           {Opcode::rsqrt, one<Tag>([](C z) { return 1.0 / std::sqrt(z); })},
           {Opcode::cbrt, one<Tag>([](C z) { return functions::cube_root(z); })},
           {Opcode::logistic, one<Tag>([](C z) { return functions::logistic(z); })},
           {Opcode::sine, one<Tag>([](C z) { return std::sin(z); })},
           {Opcode::cosine, one<Tag>([](C z) { return std::cos(z); })},
           {Opcode::tan, one<Tag>([](C z) { return std::tan(z); })},
           {Opcode::asin, one<Tag>([](C z) { return std::asin(z); })},
           {Opcode::acos, one<Tag>([](C z) { return std::acos(z); })},
           {Opcode::sinh, one<Tag>([](C z) { return std::sinh(z); })},
           {Opcode::cosh, one<Tag>([](C z) { return std::cosh(z); })},
           {Opcode::tanh, one<Tag>([](C z) { return std::tanh(z); })},
           {Opcode::asinh, one<Tag>([](C z) { return std::asinh(z); })},
           {Opcode::acosh, one<Tag>([](C z) { return std::acosh(z); })},
           {Opcode::atanh, one<Tag>([](C z) { return std::atanh(z); })}}};
}

}  // namespace

ElementwiseKernel complex_kernel(Opcode opcode, ElementType type) {
  ElementwiseKernel kernel;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (element::kComplex<Tag>) {
      static const OpTable<One> kOne = complex_one<Tag>();
      static const OpTable<Two> kTwo = complex_two<Tag>();
      kernel = {kOne[opcode], kTwo[opcode]};
    }
  });
  return kernel;
}

}  // namespace shardscope::inline numerics::elementwise
