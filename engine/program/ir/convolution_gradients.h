// SPDX-License-Identifier: Apache-2.0
// The gradients of a convolution, which are convolutions.
#pragma once

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// The gradient of the output with the kernel, whose features are exchanged: spread over the input by the
// kernel turned round, with holes where the forward convolution made strides. Of a kernel whose features are
// in groups, the groups stand in its other dimension. `input` and `output` are those of the forward
// convolution.
ConvolutionDims gradient_of_input(const ConvolutionDims& forward, const Shape& input, const Shape& output);

// Input and gradient of the output multiplied wherever an element of the kernel joins them.
ConvolutionDims gradient_of_kernel(const ConvolutionDims& forward, const Shape& input, const Shape& output);

}  // namespace shardscope::inline program
