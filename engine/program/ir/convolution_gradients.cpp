// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/convolution_gradients.h"

#include <algorithm>

namespace shardscope::inline program {
namespace {

// With holes between its elements; 0 of a dimension that the shape does not have.
int64_t dilated(const Shape& shape, int64_t dimension, int64_t by) {
  const bool is_there = dimension >= 0 && dimension < static_cast<int64_t>(shape.rank());
  const int64_t size = is_there ? shape.dims[static_cast<size_t>(dimension)] : 0;
  return size == 0 ? 0 : (size - 1) * by + 1;
}

// How far a window reaches beyond its first element.
int64_t reach(const WindowDim& w) {
  return (w.size - 1) * w.window_dilation;
}

}  // namespace

ConvolutionDims gradient_of_input(const ConvolutionDims& forward, const Shape& input, const Shape& output) {
  ConvolutionDims back;
  back.input_batch = forward.output_batch;
  back.input_feature = forward.output_feature;
  back.input_spatial = forward.output_spatial;
  back.kernel_input = forward.kernel_output;
  back.kernel_output = forward.kernel_input;
  back.kernel_spatial = forward.kernel_spatial;
  back.output_batch = forward.input_batch;
  back.output_feature = forward.input_feature;
  back.output_spatial = forward.input_spatial;
  back.feature_groups = std::max(forward.feature_groups, forward.batch_groups);
  for (size_t s = 0; s < forward.window.size(); ++s) {
    const WindowDim& w = forward.window[s];
    WindowDim made{w.size, w.base_dilation, reach(w) - w.low, 0, w.stride, w.window_dilation, !w.reversed};
    made.high = dilated(input, forward.input_spatial[s], w.base_dilation) + reach(w) -
                dilated(output, forward.output_spatial[s], w.stride) - made.low;
    back.window.push_back(made);
  }
  return back;
}

ConvolutionDims gradient_of_kernel(const ConvolutionDims& forward, const Shape& input, const Shape& output) {
  ConvolutionDims back;
  back.input_batch = forward.input_feature;
  back.input_feature = forward.input_batch;
  back.input_spatial = forward.input_spatial;
  back.kernel_input = forward.output_batch;
  back.kernel_output = forward.output_feature;
  back.kernel_spatial = forward.output_spatial;
  back.output_batch = forward.kernel_input;
  back.output_feature = forward.kernel_output;
  back.output_spatial = forward.kernel_spatial;
  back.feature_groups = forward.batch_groups;
  back.batch_groups = forward.feature_groups;
  for (size_t s = 0; s < forward.window.size(); ++s) {
    const WindowDim& w = forward.window[s];
    const int64_t spread = dilated(output, forward.output_spatial[s], w.stride);
    const int64_t high =
        spread + reach(w) - dilated(input, forward.input_spatial[s], w.base_dilation) - w.low;
    back.window.push_back({dilated(output, forward.output_spatial[s], 1), w.window_dilation, w.low, high,
                           w.base_dilation, w.stride, false});
  }
  return back;
}

}  // namespace shardscope::inline program
