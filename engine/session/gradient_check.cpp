// SPDX-License-Identifier: Apache-2.0
#include "engine/session/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/say.h"
#include "engine/numerics/check/numerics.h"
#include "engine/program/registered.h"
#include "engine/session/hlo_proof.h"

namespace shardscope::inline session {
namespace {

bool has_backward(const Program& module) {
  return std::ranges::any_of(module.computations, [&](const Computation& c) {
    return computation_named(module, c.name + std::string(kBackward)) != nullptr;
  });
}

std::vector<int64_t> place_of(int64_t element, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d]) out[d] = element % dims[d];
  return out;
}

GradientDifference difference(const std::string& by, const Array& given, const Array& automatic,
                              const Workers& workers) {
  GradientDifference out;
  out.by = by;
  out.elements = given.element_count();
  double scale = 0;
  for (int64_t k = 0; k < out.elements; ++k) scale = std::max(scale, std::fabs(automatic.at(k)));
  const double atol = element_type(given.type()).rtol * scale;
  out.numbers = compare(given, automatic, {0, atol, {}}, workers);
  out.numbers.array = by;
  out.numbers.reference = "automatic differentiation";
  for (int64_t k = 0; k < out.elements; ++k) {
    const double apart = std::fabs(given.at(k) - automatic.at(k));
    if (apart > atol) ++out.other;
    if (!(apart > out.most)) continue;
    out.most = apart;
    out.place = place_of(k, given.dims());
    out.given = given.at(k);
    out.automatic = automatic.at(k);
  }
  return out;
}

}  // namespace

std::string GradientDifference::text() const {
  if (other == 0)
    return say_count("by {1}: its element is that of automatic differentiation",
                     "by {1}: all {0} elements are those of automatic differentiation", elements, by);
  return fmt::format(
      "by {}: {} of {} elements differ from automatic differentiation, most at [{}]: {} instead of {}", by,
      other, elements, fmt::join(place, ", "), given, automatic);
}

Result<std::vector<GradientDifference>> check_backwards(const Program& module, const GradRequest& request,
                                                        uint64_t seed, const Workers& workers) {
  std::vector<GradientDifference> out;
  if (!has_backward(module)) return out;
  GradRequest plain = request;
  plain.own_backwards = false;
  TRY(const Program own, gradient(module, request));
  TRY(const Program automatic, gradient(module, plain));
  TRY(const std::vector<Array> arguments, module_arguments(own, seed, workers));
  TRY(const std::vector<Array> given, run_module(own, arguments, workers, {}));
  TRY(const std::vector<Array> expected, run_module(automatic, arguments, workers, {}));
  for (size_t k = 0; k < given.size(); ++k)
    out.push_back(difference(request.by[k], given[k], expected[k], workers));
  return out;
}

}  // namespace shardscope::inline session
