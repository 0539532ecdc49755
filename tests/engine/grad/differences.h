// SPDX-License-Identifier: Apache-2.0
// A gradient beside differences: along a direction, (f(x + h d) - f(x - h d)) / 2h in f64.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/grad/grad.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::grad_test {

using Arrays = std::vector<std::vector<Array>>;  // [leaf][device]

// Numbers without a pattern, away from zero: of a float 0.3 … 1.3 with a sign, of an integer 0 … 3.
inline double drawn(uint64_t place, uint64_t seed) {
  uint64_t x = (place + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 31;
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 29;
  return static_cast<double>(x >> 11) / static_cast<double>(1ULL << 53);
}

inline Array array_of(const Shape& shape, uint64_t seed, bool is_signed) {
  Array out = Array::allocate(shape.type, shape.dims);
  for (int64_t k = 0; k < out.element_count(); ++k) {
    const double u = drawn(static_cast<uint64_t>(k), seed);
    if (shape.type == ElementType::f64)
      out.mutable_as<double>()[static_cast<size_t>(k)] =
          (0.3 + u) * (is_signed && drawn(static_cast<uint64_t>(k), seed + 99) < 0.5 ? -1 : 1);
    else if (shape.type == ElementType::s32)
      out.mutable_as<int32_t>()[static_cast<size_t>(k)] = static_cast<int32_t>(u * 4);
    else
      out.mutable_data()[k] = static_cast<std::byte>(u < 0.5 ? 1 : 0);
  }
  return out;
}

inline Arrays arguments_of(const Program& module, uint64_t seed, bool is_signed) {
  Arrays out;
  for (const Shape& shape : parameter_leaves(module)) {
    out.emplace_back();
    for (int64_t d = 0; d < module.mesh.device_count(); ++d)
      out.back().push_back(array_of(shape, seed + 1000 * out.size() + static_cast<uint64_t>(d), is_signed));
  }
  return out;
}

inline double dot(const std::vector<Array>& a, const std::vector<Array>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d)
    for (int64_t k = 0; k < a[d].element_count(); ++k) sum += a[d].at(k) * b[d].at(k);
  return sum;
}

inline std::vector<Array> moved(const std::vector<Array>& from, const std::vector<Array>& along, double by) {
  std::vector<Array> out;
  for (size_t d = 0; d < from.size(); ++d) {
    Array to = Array::allocate(ElementType::f64, from[d].dims());
    for (int64_t k = 0; k < to.element_count(); ++k)
      to.mutable_as<double>()[static_cast<size_t>(k)] = from[d].at(k) + by * along[d].at(k);
    out.push_back(std::move(to));
  }
  return out;
}

inline Arrays run(const Program& program, const Arrays& arguments) {
  const Workers workers;
  auto out = run_on_devices(program, arguments, workers, {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text()) << "\n" << print_program(program);
  return out.ok() ? *std::move(out) : Arrays();
}

inline Program parsed(const std::string& text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text()) << "\n" << text;
  return program.ok() ? *std::move(program) : Program();
}

// By every f64 parameter, of result 0, with a cotangent that is drawn.
inline void expect_differences(const Program& module, const std::string& what, bool is_signed = true,
                               Remat remat = Remat::none) {
  GradRequest request{"result.0", {}, remat};
  std::vector<size_t> by;
  const std::vector<Shape> shapes = parameter_leaves(module);
  for (size_t k = 0; k < shapes.size(); ++k)
    if (shapes[k].type == ElementType::f64) by.push_back(k);
  for (const size_t k : by) request.by.push_back(std::to_string(k));
  const auto made = gradient(module, request);
  ASSERT_TRUE(made.ok()) << what << ": " << made.error().text();
  const auto again = parse_program(print_program(*made));
  ASSERT_TRUE(again.ok() && *again == *made) << what << "\n" << print_program(*made);
  const Arrays x = arguments_of(module, 7, is_signed);
  const std::vector<Shape> results = parameter_leaves(*made);
  Arrays given = x;
  std::vector<Array> bar;
  for (int64_t d = 0; d < module.mesh.device_count(); ++d)
    bar.push_back(array_of(result_leaves(module)[0], 5 + static_cast<uint64_t>(d), true));
  if (results.size() > shapes.size()) {
    given.push_back(bar);
  } else {
    for (Array& one : bar) one.mutable_as<double>()[0] = 1;
  }
  const Arrays gradients = run(*made, given);
  ASSERT_EQ(gradients.size(), by.size()) << what;
  for (size_t g = 0; g < by.size(); ++g) {
    constexpr double kStep = 1e-6;
    std::vector<Array> along;
    for (int64_t d = 0; d < module.mesh.device_count(); ++d)
      along.push_back(array_of(shapes[by[g]], 31 + g + 17 * static_cast<uint64_t>(d), true));
    Arrays up = x, down = x;
    up[by[g]] = moved(x[by[g]], along, kStep);
    down[by[g]] = moved(x[by[g]], along, -kStep);
    const double difference = (dot(run(module, up)[0], bar) - dot(run(module, down)[0], bar)) / (2 * kStep);
    const double derivative = dot(gradients[g], along);
    EXPECT_NEAR(derivative, difference, 1e-6 * (1 + std::fabs(difference)))
        << what << ", by parameter " << by[g] << "\n"
        << print_program(*made);
  }
}

}  // namespace shardscope::grad_test
