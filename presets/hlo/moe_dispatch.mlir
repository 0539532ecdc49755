// SPDX-License-Identifier: Apache-2.0
// A mixture of four experts on four devices: tokens go to experts and back by products with a mask
// [token, expert, place]. Tokens are split before and after, experts in between.
module @moe_dispatch attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["expert"=4]>
  func.func public @main(%x: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>}, %mask: tensor<32x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, %w: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}) -> (tensor<32x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>}) {
    %0 = stablehlo.dot_general %mask, %x, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"expert"}, {}, {}]>]>} : (tensor<32x4x8xf32>, tensor<32x16xf32>) -> tensor<4x8x16xf32> loc("moe/dispatch")
    %1 = stablehlo.dot_general %0, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<4x8x8xf32> loc("moe/experts")
    %2 = stablehlo.dot_general %mask, %1, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<32x4x8xf32>, tensor<4x8x8xf32>) -> tensor<32x8xf32> loc("moe/combine")
    return %2 : tensor<32x8xf32>
  }
}
