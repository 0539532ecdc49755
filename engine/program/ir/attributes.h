// SPDX-License-Identifier: Apache-2.0
// What an operation is told beside its operands and its shape, where that is more than a list of dimensions.
// Read once by the parser, printed back by the printer (engine/program/text/attributes.def); whether the
// numbers fit the operands is asked in dimension_numbers.h.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace shardscope::inline program {

// compare's direction.
enum class CompareDirection : unsigned char { eq, ne, lt, le, gt, ge };

// pad's padding=low_high[_interior]x…, by dimension. Negative ones cut.
struct PadDim {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PadDim&) const = default;
};
constexpr int64_t kMostPadding = int64_t{1} << 40;  // to either side, so that sums of sizes stay within int64
struct Padding {
  std::vector<PadDim> dims;
  bool operator==(const Padding&) const = default;
};

// window={size=3x3 stride=2x1 pad=1_1x0_0 lhs_dilate=… rhs_dilate=… rhs_reversal=0x1}.
struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0;
  int64_t base_dilation = 1, window_dilation = 1;
  bool reversed = false;
  bool operator==(const WindowDim&) const = default;
};
// reduce-window's; empty: one element everywhere.
struct Window {
  std::vector<WindowDim> dims;
  bool operator==(const Window&) const = default;
};

// A convolution's window and dim_labels=b01f_01io->b01f: which dimension is what, -1 where it does not say.
struct ConvolutionDims {
  int64_t input_batch = -1, input_feature = -1, kernel_input = -1, kernel_output = -1, output_batch = -1,
          output_feature = -1;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  std::vector<WindowDim> window;  // one per spatial dimension
  int64_t feature_groups = 1, batch_groups = 1;
  bool operator==(const ConvolutionDims&) const = default;
};

struct GatherDims {
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map, slice_sizes;
  std::vector<int64_t> operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = -1;  // -1: the rank of the indices
  bool operator==(const GatherDims&) const = default;
};

struct ScatterDims {
  std::vector<int64_t> update_window_dims, inserted_window_dims, to_operand_dims;
  std::vector<int64_t> input_batching_dims, indices_batching_dims;
  int64_t index_vector_dim = -1;  // -1: the rank of the indices
  bool operator==(const ScatterDims&) const = default;
};

struct CustomCall {
  std::string target;
  bool operator==(const CustomCall&) const = default;
};

// The bits that reduce-precision leaves; -1: it does not say.
struct Precision {
  int64_t exponent_bits = -1, mantissa_bits = -1;
  bool operator==(const Precision&) const = default;
};

// An fft's kind, and the sizes of what it transforms: the last dimensions.
enum class FftType : unsigned char { fft, ifft, rfft, irfft };
struct Fft {
  FftType type = FftType::fft;
  std::vector<int64_t> length;
  bool operator==(const Fft&) const = default;
};

// topk's: the k largest of each row of the last dimension, or the smallest.
struct TopK {
  int64_t k = -1;
  bool largest = true;
  bool operator==(const TopK&) const = default;
};

// rng-bit-generator's; by default it is the compiler's choice.
enum class RandomAlgorithm : unsigned char { standard, three_fry, philox };

// cholesky's: whether the factor is the lower one.
struct CholeskySide {
  bool lower = false;
  bool operator==(const CholeskySide&) const = default;
};

// triangular-solve's: op(a) x = b, or x op(a) = b.
struct TriangularSides {
  enum class Transpose : unsigned char { unsaid, none, transpose, adjoint };
  bool left_side = false, lower = false, unit_diagonal = false;
  Transpose transpose = Transpose::unsaid;
  bool operator==(const TriangularSides&) const = default;
};

// Which alternative an instruction has follows from its opcode; monostate where it has none, or its text
// does not say.
using Attributes =
    std::variant<std::monostate, CompareDirection, Padding, Window, ConvolutionDims, GatherDims, ScatterDims,
                 CustomCall, Precision, Fft, TopK, RandomAlgorithm, CholeskySide, TriangularSides>;

}  // namespace shardscope::inline program
