// SPDX-License-Identifier: Apache-2.0
// Convolutions: sums in f64 (of complex numbers in c128) or, of integers, modulo 2^64; rounded once.
#include <algorithm>
#include <array>
#include <complex>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/base/units.h"
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
  int64_t outputs() const { return space(y_dims, c.output_spatial); }
  int64_t inputs() const { return space(x_dims, c.input_spatial); }
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
    return b * at(ys, c.output_batch) + f * at(ys, c.output_feature) +
           place_in(y_dims, ys, c.output_spatial, output);
  }
  int64_t x_place(int64_t input) const { return place_in(x_dims, xs, c.input_spatial, input); }

 private:
  static int64_t space(const std::vector<int64_t>& dims, const std::vector<int64_t>& spatial) {
    int64_t count = 1;
    for (const int64_t d : spatial) count *= at(dims, d);
    return count;
  }
  static int64_t place_in(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
                          const std::vector<int64_t>& spatial, int64_t number) {
    int64_t place = 0;
    for (size_t s = spatial.size(); s-- > 0;) {
      const int64_t size = at(dims, spatial[s]);
      place += number % size * at(strides, spatial[s]);
      number /= size;
    }
    return place;
  }
};

// Outputs along one dimension of space that one element of the window reads something for, which does not
// stand in the padding or between elements of a dilated input, and the inputs that they read: places with
// even steps between them.
struct Reached {
  int64_t count = 0;
  int64_t output = 0, input = 0, output_step = 1, input_step = 1;
};

Reached reached(const Geometry& g, size_t s, int64_t k) {
  const WindowDim& window = g.c.window[s];
  const int64_t begins = k * window.window_dilation - window.low;  // where output 0 reads, with holes
  const int64_t last_place = (at(g.x_dims, g.c.input_spatial[s]) - 1) * window.base_dilation;
  const int64_t holes = std::gcd(window.stride, window.base_dilation);
  Reached out;
  out.output_step = window.base_dilation / holes;
  out.input_step = window.stride / holes;
  if (begins > last_place) return out;
  const int64_t last =
      std::min(at(g.y_dims, g.c.output_spatial[s]) - 1, (last_place - begins) / window.stride);
  out.output = begins < 0 ? ceil_div(-begins, window.stride) : 0;
  const int64_t first_in_hole = out.output;
  const auto place = [&] { return out.output * window.stride + begins; };
  while (place() % window.base_dilation != 0) {
    if (++out.output > last || out.output - first_in_hole == out.output_step) return out;
  }
  if (out.output > last) return out;
  out.input = place() / window.base_dilation;
  out.count = (last - out.output) / out.output_step + 1;
  return out;
}

// A row of outputs along the last dimension of space; input and output count places in space.
struct OutputRow {
  int64_t output = 0, input = 0;
  const Reached& of;
};

// The elements of the window one after the other.
class Taps {
 public:
  explicit Taps(const Geometry& g) : g_(g), space_(g.c.window.size()), reached_(space_) {
    for (size_t s = 0; s < space_; ++s)
      for (int64_t k = 0; k < g.c.window[s].size; ++k) reached_[s].push_back(reached(g, s, k));
    for (int64_t tap = 0; tap < g.taps(); ++tap) add(tap);
  }

  size_t count() const { return w_.size(); }
  int64_t w_place(size_t tap) const { return w_[tap]; }
  // visit(a row that reads something for it).
  template <class Visit>
  void each_row(size_t tap, const Visit& visit) const {
    rows({of_.data() + tap * space_, space_}, {0, 0}, visit);
  }

 private:
  void add(int64_t tap) {
    std::vector<const Reached*> of(space_);
    int64_t place = 0;
    for (size_t s = space_; s-- > 0;) {
      const WindowDim& window = g_.c.window[s];
      const int64_t k = tap % window.size;
      tap /= window.size;
      of[s] = &reached_[s][static_cast<size_t>(k)];
      place += (window.reversed ? window.size - 1 - k : k) * at(g_.ws, g_.c.kernel_spatial[s]);
    }
    of_.insert(of_.end(), of.begin(), of.end());
    w_.push_back(place);
  }

  using Places = std::array<int64_t, 2>;  // of an output and an input
  template <class Visit>
  void rows(std::span<const Reached* const> of, Places from, const Visit& visit) const {
    static const Reached one{.count = 1};  // without space there is one place
    if (of.empty()) return visit(OutputRow{0, 0, one});
    const size_t s = space_ - of.size();
    from[0] *= at(g_.y_dims, g_.c.output_spatial[s]);
    from[1] *= at(g_.x_dims, g_.c.input_spatial[s]);
    if (of.size() == 1) return visit(OutputRow{from[0], from[1], *of[0]});
    const Reached& along = *of[0];
    for (int64_t k = 0; k < along.count; ++k)
      rows(of.subspan(1),
           {from[0] + along.output + k * along.output_step, from[1] + along.input + k * along.input_step},
           visit);
  }

  const Geometry& g_;
  const size_t space_;                         // dimensions
  std::vector<std::vector<Reached>> reached_;  // by dimension of space and element of the window
  std::vector<const Reached*> of_;             // by tap and dimension
  std::vector<int64_t> w_;                     // by tap where it stands in w
};

// sums += what they read times w.
template <class Sum>
void add_row(const OutputRow& row, const Sum* inputs, Sum w, Sum* sums) {
  const Reached& of = row.of;
  inputs += row.input + of.input;
  sums += row.output + of.output;
  if (of.output_step == 1 && of.input_step == 1) {
    for (int64_t k = 0; k < of.count; ++k) sums[k] += inputs[k] * w;
  } else {
    for (int64_t k = 0; k < of.count; ++k) sums[k * of.output_step] += inputs[k * of.input_step] * w;
  }
}

// The arrays of one device.
struct ConvolvedArrays {
  const std::byte *x, *w;
  std::byte* y;
};

// One feature of one batch: y at every place. What comes to an output is added tap by tap, and of a tap
// feature by feature, whichever outputs take turns.
template <class Tag>
void convolve(const Geometry& g, const Taps& taps, int64_t b, int64_t f, const ConvolvedArrays& arrays,
              const std::stop_token& stop) {
  using Stored = typename Tag::Stored;
  using Computed = typename Tag::Computed;
  using Sum = std::conditional_t<element::kFloat<Tag>, double,
                                 std::conditional_t<element::kComplex<Tag>, std::complex<double>, uint64_t>>;
  const auto* x = reinterpret_cast<const Stored*>(arrays.x) + g.x_base(b, f);
  const auto* w = reinterpret_cast<const Stored*>(arrays.w) + f * at(g.ws, g.c.kernel_output);
  auto* y = reinterpret_cast<Stored*>(arrays.y);
  const int64_t x_step = at(g.xs, g.c.input_feature), w_step = at(g.ws, g.c.kernel_input);
  const int64_t inner = g.inner(), space = g.inputs();
  // Feature after feature, each with its places in space side by side.
  std::vector<Sum> inputs(static_cast<size_t>(inner * space)), sums(static_cast<size_t>(g.outputs()));
  for (int64_t p = 0; p < space; ++p) {
    const int64_t place = g.x_place(p);
    for (int64_t k = 0; k < inner; ++k)
      inputs[static_cast<size_t>(k * space + p)] = static_cast<Sum>(Tag::load(x[place + k * x_step]));
  }
  std::vector<Sum> factors(static_cast<size_t>(inner));
  for (size_t t = 0; t < taps.count() && !stop.stop_requested(); ++t) {
    const Stored* of_tap = w + taps.w_place(t);
    for (int64_t k = 0; k < inner; ++k)
      factors[static_cast<size_t>(k)] = static_cast<Sum>(Tag::load(of_tap[k * w_step]));
    taps.each_row(t, [&](const OutputRow& row) {
      for (int64_t k = 0; k < inner && !stop.stop_requested(); ++k)
        add_row(row, inputs.data() + k * space, factors[static_cast<size_t>(k)], sums.data());
    });
  }
  for (size_t o = 0; o < sums.size(); ++o)
    y[g.y_place(b, f, static_cast<int64_t>(o))] = Tag::store(static_cast<Computed>(sums[o]));
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
  const Taps taps(geometry);
  const int64_t batch = geometry.batch(), features = geometry.features();
  element::visit(shape.type, [&](auto tag) {
    step.run.workers.parallel_for(static_cast<int64_t>(step.devices()) * batch * features, [&](int64_t task) {
      const auto d = static_cast<size_t>(task / (batch * features));
      const ConvolvedArrays arrays{lhs[d]->data(), rhs[d]->data(), results[d].mutable_data()};
      convolve<decltype(tag)>(geometry, taps, task / features % batch, task % features, arrays,
                              step.run.stop);
    });
  });
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics
