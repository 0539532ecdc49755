// SPDX-License-Identifier: Apache-2.0
// Convolutions: sums in f64 (of complex numbers in c128) or, of integers, modulo 2^64; rounded once.
#include <complex>
#include <type_traits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/index_space.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

int64_t at(const std::vector<int64_t>& of, int64_t dim) {
  return of[static_cast<size_t>(dim)];
}

// Sizes and strides of a convolution of x (input) and w (kernel) to y.
struct Geometry {
  const ConvolutionDims& c;
  const std::vector<int64_t>&x_dims, &w_dims, &y_dims;
  std::vector<int64_t> xs = row_major_strides(x_dims), ws = row_major_strides(w_dims),
                       ys = row_major_strides(y_dims);

  int64_t features() const { return at(y_dims, c.output_feature); }
  int64_t batch() const { return at(y_dims, c.output_batch); }
  int64_t inner() const { return at(w_dims, c.kernel_input); }
  int64_t outputs() const {  // in space
    int64_t count = 1;
    for (const int64_t d : c.output_spatial) count *= at(y_dims, d);
    return count;
  }
  int64_t taps() const {
    int64_t count = 1;
    for (const WindowDim& w : c.window) count *= w.size;
    return count;
  }
  // Where input features begin that output feature `f` of batch `b` reads.
  int64_t x_base(int64_t b, int64_t f) const {
    const int64_t of_group = features() / c.feature_groups;
    const int64_t batch_group = c.batch_groups == 1 ? 0 : f / (features() / c.batch_groups);
    const int64_t first_feature = c.feature_groups > 1 ? f / of_group * inner() : 0;
    return (batch_group * batch() + b) * at(xs, c.input_batch) + first_feature * at(xs, c.input_feature);
  }
  int64_t y_place(int64_t b, int64_t f, int64_t output) const {
    int64_t place = b * at(ys, c.output_batch) + f * at(ys, c.output_feature);
    for (size_t s = c.window.size(); s-- > 0;) {
      const int64_t size = at(y_dims, c.output_spatial[s]);
      place += output % size * at(ys, c.output_spatial[s]);
      output /= size;
    }
    return place;
  }
  struct Tap {
    int64_t x = 0, w = 0;  // offsets in space
    bool inside = true;
  };
  Tap tap(int64_t output, int64_t number) const {
    Tap tap;
    for (size_t s = c.window.size(); s-- > 0;) {
      const WindowDim& window = c.window[s];
      const int64_t size = at(y_dims, c.output_spatial[s]);
      const int64_t k = number % window.size;
      const int64_t place = output % size * window.stride + k * window.window_dilation - window.low;
      output /= size;
      number /= window.size;
      tap.inside = tap.inside && place >= 0 && place % window.base_dilation == 0 &&
                   place / window.base_dilation < at(x_dims, c.input_spatial[s]);
      tap.x += place / window.base_dilation * at(xs, c.input_spatial[s]);
      tap.w += (window.reversed ? window.size - 1 - k : k) * at(ws, c.kernel_spatial[s]);
    }
    return tap;
  }
};

constexpr int64_t kTapsBetweenStops = 256;

// The arrays of one device.
struct ConvolvedArrays {
  const std::byte *x, *w;
  std::byte* y;
};

// One feature of one batch: y at every place.
template <class Tag>
void convolve(const Geometry& g, int64_t b, int64_t f, const ConvolvedArrays& arrays,
              const std::stop_token& stop) {
  using Stored = typename Tag::Stored;
  using Computed = typename Tag::Computed;
  using Sum = std::conditional_t<element::kFloat<Tag>, double,
                                 std::conditional_t<element::kComplex<Tag>, std::complex<double>, uint64_t>>;
  const auto* x = reinterpret_cast<const Stored*>(arrays.x) + g.x_base(b, f);
  const auto* w = reinterpret_cast<const Stored*>(arrays.w) + f * at(g.ws, g.c.kernel_output);
  auto* y = reinterpret_cast<Stored*>(arrays.y);
  const int64_t x_step = at(g.xs, g.c.input_feature), w_step = at(g.ws, g.c.kernel_input);
  const int64_t outputs = g.outputs(), taps = g.taps(), inner = g.inner();
  for (int64_t o = 0; o < outputs; ++o) {
    Sum sum = 0;
    for (int64_t t = 0; t < taps; ++t) {
      if (t % kTapsBetweenStops == 0 && stop.stop_requested()) return;
      const Geometry::Tap tap = g.tap(o, t);
      for (int64_t k = 0; tap.inside && k < inner; ++k)
        sum += static_cast<Sum>(Tag::load(x[tap.x + k * x_step])) *
               static_cast<Sum>(Tag::load(w[tap.w + k * w_step]));
    }
    y[g.y_place(b, f, o)] = Tag::store(static_cast<Computed>(sum));
  }
}

}  // namespace

Result<void> run_convolution(Step& step) {
  const Shape& shape = step.at().shape;
  TRY(const ConvolutionDims c, convolution_dims(step.frame.computation, step.at()));
  const Shape &left = step.operand_shape(0), &right = step.operand_shape(1);
  if (left.type != right.type || !element::has_arrays(left.type) || left.type != shape.type)
    return invalid("cannot run convolution of " + left.text() + " and " + right.text(), "%" + step.at().name);
  const auto lhs = step.arrays(0), rhs = step.arrays(1);
  std::vector<Array> results = step.new_arrays();
  const Geometry geometry{c, left.dims, right.dims, shape.dims};
  const int64_t batch = geometry.batch(), features = geometry.features();
  element::visit(shape.type, [&](auto tag) {
    step.run.workers.parallel_for(static_cast<int64_t>(step.devices()) * batch * features, [&](int64_t task) {
      const auto d = static_cast<size_t>(task / (batch * features));
      const ConvolvedArrays arrays{lhs[d]->data(), rhs[d]->data(), results[d].mutable_data()};
      convolve<decltype(tag)>(geometry, task / features % batch, task % features, arrays, step.run.stop);
    });
  });
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics
