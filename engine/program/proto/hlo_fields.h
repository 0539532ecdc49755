// SPDX-License-Identifier: Apache-2.0
// Numbers of the fields of XLA's messages (xla/service/hlo.proto, xla/xla_data.proto): those that are read.
#pragma once

namespace shardscope::inline program::proto::field {

struct HloProto {
  static constexpr int hlo_module = 1;
};
struct HloModule {
  static constexpr int name = 1, entry_computation_name = 2, computations = 3, host_program_shape = 4,
                       entry_computation_id = 6, schedule = 7, input_output_alias = 8, device_assignment = 15,
                       stack_frame_index = 17, buffer_donor = 18, frontend_attributes = 19, payloads = 22;
};
struct Computation {
  static constexpr int name = 1, instructions = 2, id = 5, root_id = 6, execution_thread = 8;
};
struct Schedule {
  static constexpr int sequences = 1;
  static constexpr int key = 1, value = 2;   // of an entry
  static constexpr int instruction_ids = 1;  // of its value
};
struct Alias {
  static constexpr int entries = 1;
  static constexpr int output_index = 1, parameter = 2, parameter_index = 3, kind = 4;  // of an entry
};
struct Donor {
  static constexpr int entries = 1;
  static constexpr int parameter = 1, index = 2;  // of an entry
};
struct DeviceAssignment {
  static constexpr int replicas = 1, computations = 2, partition = 3;
  static constexpr int replica_devices = 1;  // of a partition
};
struct StackFrames {
  static constexpr int file_names = 1, function_names = 2, file_locations = 3, stack_frames = 4;
  // Of a location and of a frame.
  static constexpr int file_name = 1, function_name = 2, line = 3, column = 4, end_line = 5, end_column = 6;
  static constexpr int location = 1, parent = 2;
};

struct Instruction {
  static constexpr int name = 1, opcode = 2, shape = 3, metadata = 7, literal = 8, parameter_number = 9,
                       fusion_kind = 11, tuple_index = 13, dimensions = 14, window = 15,
                       convolution_dimensions = 16, slice_dimensions = 17, exponent_bits = 18,
                       mantissa_bits = 19, dynamic_slice_sizes = 20, padding = 21, outfeed_config = 22,
                       distribution = 23, epsilon = 24, feature_index = 25, channel_id = 26,
                       infeed_config = 27, custom_call_target = 28, outfeed_shape = 29, dot_dimensions = 30,
                       fft_type = 31, fft_length = 32, gather_dimensions = 33, gather_slice_sizes = 34,
                       id = 35, operand_ids = 36, control_predecessor_ids = 37, called_computation_ids = 38,
                       sharding = 40, backend_config = 43, all_reduce_id = 45, is_host_transfer = 47,
                       scatter_dimensions = 48, replica_groups = 49, feature_group_count = 50, precision = 51,
                       source_target_pairs = 52, constrain_layout = 56, operand_layouts = 57,
                       batch_group_count = 58, triangular_solve = 59, is_stable = 60,
                       parameter_replication = 61, cholesky = 62, comparison_direction = 63,
                       has_side_effect = 65, delta = 66, indices_are_sorted = 67, frontend_attributes = 68,
                       unique_indices = 69, rng_algorithm = 70, use_global_device_ids = 71,
                       comparison_type = 72, output_operand_aliasing = 74, padding_type = 75,
                       custom_call_schedule = 76, custom_call_api = 77, async_thread = 79,
                       prefetch_index = 80, k = 81, statistics = 82, largest = 85, device_list = 87,
                       original_value = 88, is_composite = 89, ragged_dimensions = 90, result_accuracy = 91,
                       iota_device_list = 92, mesh_device_list = 93, is_reverse = 94, num_carries = 95,
                       is_associative = 96, backend_payload = 99;
};

struct Shape {
  static constexpr int element_type = 2, dimensions = 3, tuple_shapes = 4, layout = 5, dynamic = 6;
};
struct ProgramShape {
  static constexpr int parameters = 1, result = 2;
};
struct Layout {
  static constexpr int minor_to_major = 1, tiles = 6, element_bits = 7, memory_space = 8, level_types = 9,
                       physical_shape = 10, index_type = 11, pointer_type = 12, prefix_bytes = 15,
                       tail_alignment = 16, splits = 17;
  static constexpr int tile_dimensions = 1;                     // of a tile
  static constexpr int split_dimension = 1, split_indices = 2;  // of a split
};
struct Literal {
  static constexpr int shape = 1, preds = 2, tuple = 10;
};
struct Metadata {
  static constexpr int op_type = 1, op_name = 2, source_file = 3, source_line = 4, deduplicated_name = 12,
                       stack_frame = 15, scheduling_name = 16, end_line = 17, column = 18, end_column = 19;
};
struct Sharding {
  static constexpr int type = 1, tile_dimensions = 3, tile_devices = 4, tuple = 5, replicate_last = 6,
                       last_tile_dims = 8, iota_dims = 9, iota_permutation = 10, is_group = 11, group = 12,
                       group_type = 13, named = 14;
};
struct NamedSharding {
  static constexpr int mesh = 2, dimensions = 3, replicated = 4, unreduced = 5, manual = 7;
  static constexpr int axes = 1, is_closed = 2;  // of a dimension
};
struct Mesh {
  static constexpr int axes = 1, devices = 2, iota = 3;
  static constexpr int axis_name = 1, axis_size = 2;         // of an axis
  static constexpr int iota_dims = 1, iota_permutation = 2;  // of the iota
  static constexpr int ref_axis = 1, ref_part = 2;           // of a reference to an axis
  static constexpr int part_before = 1, part_size = 2;       // of its part
};
struct DeviceList {
  static constexpr int groups = 1, iota = 2;
  static constexpr int members = 1;                                          // of a group
  static constexpr int count = 1, size = 2, iota_dims = 3, permutation = 4;  // of an iota
  static constexpr int mesh = 1, axes = 2;                                   // of a mesh
};
struct Window {
  static constexpr int dimensions = 1;
  static constexpr int size = 1, stride = 2, low = 3, high = 4, window_dilation = 5, base_dilation = 6,
                       reversal = 7;
};
struct Convolution {
  static constexpr int kernel_input = 3, kernel_output = 4, kernel_spatial = 6, input_batch = 7,
                       input_feature = 8, output_batch = 9, output_feature = 10, input_spatial = 11,
                       output_spatial = 12;
};
struct Dot {
  static constexpr int lhs_contracting = 1, rhs_contracting = 2, lhs_batch = 3, rhs_batch = 4;
  static constexpr int ragged_dot = 1, lhs_ragged = 2, rhs_group = 3;  // of a ragged one
};
struct Gather {
  static constexpr int offset_dims = 1, collapsed_slice_dims = 2, start_index_map = 3, index_vector_dim = 4,
                       operand_batching = 5, indices_batching = 6;
};
struct Scatter {
  static constexpr int update_window = 1, inserted_window = 2, to_operand = 3, index_vector_dim = 4,
                       input_batching = 5, indices_batching = 6;
};
struct Padding {
  static constexpr int dimensions = 1;
  static constexpr int low = 1, high = 2, interior = 3;
};
struct Aliasing {
  static constexpr int output_index = 1, operand = 2, operand_index = 3;
};
struct Accuracy {
  static constexpr int mode = 1, tolerance = 2;
  static constexpr int atol = 1, rtol = 2, ulps = 3;
};
struct Pair {  // of a slice, a source and a target, a map's entry, a payload
  static constexpr int first = 1, second = 2, third = 3;
};
struct Precision {
  static constexpr int operands = 1, algorithm = 2;
};
struct Solve {
  static constexpr int left_side = 1, lower = 2, unit_diagonal = 3, transpose = 4;
};
struct Origin {
  static constexpr int elements = 1, is_synthetic = 2;
  static constexpr int index = 1, array = 2;                    // of an element
  static constexpr int instruction = 1, instruction_index = 2;  // of an array
};

}  // namespace shardscope::inline program::proto::field
