// SPDX-License-Identifier: Apache-2.0
// Derivatives of elementwise operations, each a line as tables of derivatives have it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "engine/grad/turn.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline grad {
namespace {

// An array on a page, in formulas.
struct Term {
  GradPage* page;
  InstructionId id;
  Term of(Opcode opcode) const { return {page, page->op(opcode, {id})}; }
  Term with(Opcode opcode, const Term& other) const { return {page, page->op(opcode, {id, other.id})}; }
  Term like(double value) const {
    return {page, page->constant(Shape::array(page->type(id), page->dims(id)), value)};
  }
};
Term operator+(const Term& a, const Term& b) {
  return a.with(Opcode::add, b);
}
Term operator-(const Term& a, const Term& b) {
  return a.with(Opcode::subtract, b);
}
Term operator*(const Term& a, const Term& b) {
  return a.with(Opcode::multiply, b);
}
Term operator/(const Term& a, const Term& b) {
  return a.with(Opcode::divide, b);
}
Term operator+(double a, const Term& b) {
  return b.like(a) + b;
}
Term operator-(double a, const Term& b) {
  return b.like(a) - b;
}
Term operator*(double a, const Term& b) {
  return b.like(a) * b;
}
Term operator-(const Term& a) {
  return a.of(Opcode::negate);
}
Term exp(const Term& a) {
  return a.of(Opcode::exponential);
}
Term log(const Term& a) {
  return a.of(Opcode::log);
}
Term rsqrt(const Term& a) {
  return a.of(Opcode::rsqrt);
}

// What formulas are made of: g the cotangent, x and y the operands, z the result.
struct Formula {
  const GradTurn& t;
  Term term(InstructionId id) const { return {&t.page(), id}; }
  Term g() const { return term(t.bar()); }
  Term x() const { return term(t.operand(0)); }
  Term y() const { return term(t.operand(1)); }
  Term z() const { return term(t.result()); }
  // One where x and y compare so, a half where they are equal, else zero.
  Term share(CompareDirection direction) const {
    const Term a = x(), b = y();
    GradPage& page = t.page();
    const Term one = a.like(1), none = a.like(0), half = a.like(0.5);
    const InstructionId where = page.compare(a.id, b.id, direction);
    const InstructionId same = page.compare(a.id, b.id, CompareDirection::eq);
    return term(page.select(same, half.id, page.select(where, one.id, none.id)));
  }
  Term zero_where_y_is(double value, const Term& other) const {
    const Term b = y();
    const InstructionId where = t.page().compare(b.id, b.like(value).id, CompareDirection::eq);
    return term(t.page().select(where, other.like(0).id, other.id));
  }
};
using F = const Formula&;
using Derivative = Term (*)(F);
// By operand; null: zero.
struct Derivatives {
  Derivative by[2] = {nullptr, nullptr};
  bool known = false;
};
Derivatives of(Derivative by_x, Derivative by_y = nullptr) {
  return {{by_x, by_y}, true};
}
constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;

Term digamma(const Term& a) {
  return a.of(Opcode::digamma);
}

// x^y: zero where y is, also of zero to the power of zero.
Term power_by_x(F f) {
  const Term less = f.y() - f.y().like(1);
  return f.g() * f.zero_where_y_is(0, f.y() * f.x().with(Opcode::power, less));
}
Term power_by_y(F f) {
  const Term x = f.x();
  const InstructionId zero = f.t.page().compare(x.id, x.like(0).id, CompareDirection::eq);
  const Term safe = f.term(f.t.page().select(zero, x.like(1).id, x.id));
  return f.g() * f.z() * log(safe);
}

// A sum and a product give the same of complex numbers; others are told apart.
Term of_abs(F f) {
  if (!is_complex(f.t.operand_shape(0).type)) return f.g() * f.x().of(Opcode::sign);
  GradPage& page = f.t.page();
  const auto complex = [&](const Term& a, const Term& b) {
    return f.term(
        page.op(Opcode::complex, Shape::array(f.t.operand_shape(0).type, f.t.operand_dims(0)), {a.id, b.id}));
  };
  const auto part = [&](Opcode opcode) {
    return f.term(page.op(opcode, Shape::array(f.t.at().shape.type, f.t.at().shape.dims), {f.x().id}));
  };
  const Term z = f.z();
  const InstructionId zero = page.compare(z.id, z.like(0).id, CompareDirection::eq);
  const Term scale = f.g() / f.term(page.select(zero, z.like(1).id, z.id));
  return complex(scale * part(Opcode::real), -(scale * part(Opcode::imag)));
}
Term part_of_complex(F f, Opcode opcode) {
  const Shape part = Shape::array(real_type(f.t.at().shape.type), f.t.at().shape.dims);
  return f.term(f.t.page().op(opcode, part, {f.g().id}));
}
Term as_complex(F f, bool imaginary) {
  const Term g = f.g(), zero = g.like(0);
  const Term minus = imaginary ? -g : g;
  const std::vector<InstructionId> parts =
      imaginary ? std::vector{zero.id, minus.id} : std::vector{g.id, zero.id};
  return f.term(
      f.t.page().op(Opcode::complex, Shape::array(f.t.operand_shape(0).type, f.t.operand_dims(0)), parts));
}

// Steps, and what gives whole numbers: zero wherever there is a derivative.
constexpr Opcode kFlat[] = {Opcode::sign,
                            Opcode::floor,
                            Opcode::ceil,
                            Opcode::round_nearest_afz,
                            Opcode::round_nearest_even,
                            Opcode::compare,
                            Opcode::and_,
                            Opcode::or_,
                            Opcode::not_,
                            Opcode::xor_,
                            Opcode::mulhi,
                            Opcode::popcnt,
                            Opcode::count_leading_zeros,
                            Opcode::is_finite,
                            Opcode::shift_left,
                            Opcode::shift_right_arithmetic,
                            Opcode::shift_right_logical};

Derivatives derivatives(Opcode opcode) {
  if (std::ranges::find(kFlat, opcode) != std::end(kFlat)) return of(nullptr);
  static const OpTable<Derivatives> kAll(
      {},
      {{Opcode::add, of([](F f) { return f.g(); }, [](F f) { return f.g(); })},
       {Opcode::subtract, of([](F f) { return f.g(); }, [](F f) { return -f.g(); })},
       {Opcode::multiply, of([](F f) { return f.g() * f.y(); }, [](F f) { return f.g() * f.x(); })},
       {Opcode::divide, of([](F f) { return f.g() / f.y(); }, [](F f) { return -(f.g() * f.z()) / f.y(); })},
       {Opcode::remainder,
        of([](F f) { return f.g(); }, [](F f) { return -(f.g() * ((f.x() - f.z()) / f.y())); })},
       {Opcode::maximum, of([](F f) { return f.g() * f.share(CompareDirection::gt); },
                            [](F f) { return f.g() * f.share(CompareDirection::lt); })},
       {Opcode::minimum, of([](F f) { return f.g() * f.share(CompareDirection::lt); },
                            [](F f) { return f.g() * f.share(CompareDirection::gt); })},
       {Opcode::power, of(&power_by_x, &power_by_y)},
       {Opcode::atan2, of([](F f) { return f.g() * (f.y() / (f.x() * f.x() + f.y() * f.y())); },
                          [](F f) { return -(f.g() * (f.x() / (f.x() * f.x() + f.y() * f.y()))); })},
       {Opcode::negate, of([](F f) { return -f.g(); })},
       {Opcode::abs, of(&of_abs)},
       {Opcode::exponential, of([](F f) { return f.g() * f.z(); })},
       {Opcode::exponential_minus_one, of([](F f) { return f.g() * (1 + f.z()); })},
       {Opcode::log, of([](F f) { return f.g() / f.x(); })},
       {Opcode::log_plus_one, of([](F f) { return f.g() / (1 + f.x()); })},
       {Opcode::tanh, of([](F f) { return f.g() * (1 - f.z() * f.z()); })},
       {Opcode::logistic, of([](F f) { return f.g() * (f.z() * (1 - f.z())); })},
       {Opcode::rsqrt, of([](F f) { return -0.5 * (f.g() * (f.z() / f.x())); })},
       {Opcode::sqrt, of([](F f) { return 0.5 * (f.g() / f.z()); })},
       {Opcode::cbrt, of([](F f) { return f.g() / (3 * (f.z() * f.z())); })},
       {Opcode::erf, of([](F f) { return f.g() * (kTwoOverRootPi * exp(-(f.x() * f.x()))); })},
       {Opcode::erfc, of([](F f) { return -(f.g() * (kTwoOverRootPi * exp(-(f.x() * f.x())))); })},
       {Opcode::erf_inv, of([](F f) { return f.g() * (1 / kTwoOverRootPi * exp(f.z() * f.z())); })},
       {Opcode::sine, of([](F f) { return f.g() * f.x().of(Opcode::cosine); })},
       {Opcode::cosine, of([](F f) { return -(f.g() * f.x().of(Opcode::sine)); })},
       {Opcode::tan, of([](F f) { return f.g() * (1 + f.z() * f.z()); })},
       {Opcode::asin, of([](F f) { return f.g() * rsqrt(1 - f.x() * f.x()); })},
       {Opcode::acos, of([](F f) { return -(f.g() * rsqrt(1 - f.x() * f.x())); })},
       {Opcode::sinh, of([](F f) { return f.g() * f.x().of(Opcode::cosh); })},
       {Opcode::cosh, of([](F f) { return f.g() * f.x().of(Opcode::sinh); })},
       {Opcode::asinh, of([](F f) { return f.g() * rsqrt(1 + f.x() * f.x()); })},
       {Opcode::acosh, of([](F f) { return f.g() * (rsqrt(f.x() - f.x().like(1)) * rsqrt(1 + f.x())); })},
       {Opcode::atanh, of([](F f) { return f.g() / (1 - f.x() * f.x()); })},
       {Opcode::lgamma, of([](F f) { return f.g() * digamma(f.x()); })},
       {Opcode::digamma, of([](F f) { return f.g() * f.x().like(1).with(Opcode::polygamma, f.x()); })},
       {Opcode::polygamma,
        of(nullptr, [](F f) { return f.g() * (1 + f.x()).with(Opcode::polygamma, f.y()); })},
       {Opcode::complex, of([](F f) { return part_of_complex(f, Opcode::real); },
                            [](F f) { return -part_of_complex(f, Opcode::imag); })},
       {Opcode::real, of([](F f) { return as_complex(f, false); })},
       {Opcode::imag, of([](F f) { return as_complex(f, true); })},
       {Opcode::next_after, of([](F f) { return f.g(); })}});
  return kAll[opcode];
}

}  // namespace

Result<void> grad_elementwise(const GradTurn& t) {
  const Derivatives rules = derivatives(t.at().opcode);
  if (!rules.known) return t.error(grad_hole(t.at().opcode));
  for (size_t k = 0; k < t.operand_count() && k < 2; ++k)
    if (t.wants(k) && rules.by[k] != nullptr) t.give(k, rules.by[k]({t}).id);
  return {};
}

bool has_elementwise_derivative(Opcode opcode) {
  return derivatives(opcode).known;
}

Result<void> grad_convert(const GradTurn& t) {
  GradPage& page = t.page();
  const ElementType to = t.operand_shape(0).type, from = t.at().shape.type;
  InstructionId bar = t.bar();
  if (is_complex(from) && !is_complex(to))
    bar = page.op(Opcode::real, Shape::array(real_type(from), page.dims(bar)), {bar});
  t.give(0, page.convert(bar, to));
  return {};
}

// A cotangent is rounded as its array is.
Result<void> grad_rounded(const GradTurn& t) {
  const InstructionId made = t.page().op(Opcode::reduce_precision, {t.bar()});
  t.page().edit(made).attributes = t.at().attributes;
  t.give(0, made);
  return {};
}

Result<void> grad_select(const GradTurn& t) {
  GradPage& page = t.page();
  InstructionId which = t.operand(0);
  const std::vector<int64_t>& dims = t.at().shape.dims;
  if (page.dims(which) != dims) which = page.broadcast(which, dims, {});
  const InstructionId none = page.zeros(page.shape(t.bar()));
  if (t.wants(1)) t.give(1, page.select(which, t.bar(), none));
  if (t.wants(2)) t.give(2, page.select(which, none, t.bar()));
  return {};
}

// clamp(low, x, high): to x where it is between them, else to the bound that it is beyond.
Result<void> grad_clamp(const GradTurn& t) {
  GradPage& page = t.page();
  const std::vector<int64_t>& dims = t.at().shape.dims;
  const auto whole = [&](size_t k) {
    const InstructionId id = t.operand(k);
    return page.dims(id) == dims ? id : page.broadcast(id, dims, {});
  };
  const auto where = [&](size_t a, size_t b, CompareDirection direction) {
    const InstructionId which = page.compare(whole(a), whole(b), direction);
    return page.select(which, t.bar(), page.zeros(page.shape(t.bar())));
  };
  const auto to_bound = [&](size_t k, InstructionId bar) {
    if (t.operand_dims(k) != dims) bar = page.reduce(Opcode::add, bar, iota_dims(dims.size()));
    t.give(k, bar);
  };
  if (t.wants(0)) to_bound(0, where(1, 0, CompareDirection::lt));
  if (t.wants(2)) to_bound(2, where(1, 2, CompareDirection::gt));
  if (!t.wants(1)) return {};
  const InstructionId above = page.compare(whole(1), whole(0), CompareDirection::gt),
                      below = page.compare(whole(1), whole(2), CompareDirection::lt);
  const InstructionId within = page.op(Opcode::and_, Shape::array(ElementType::pred, dims), {above, below});
  t.give(1, page.select(within, t.bar(), page.zeros(page.shape(t.bar()))));
  return {};
}

}  // namespace shardscope::inline grad
