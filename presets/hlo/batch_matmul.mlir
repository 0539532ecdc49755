// SPDX-License-Identifier: Apache-2.0
// Eight products of one batch on eight devices; the result's rows are wanted split instead,
// which one all-to-all does.
module @batch_matmul attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["batch"=8]>
  func.func public @main(%a: tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}, {}]>}, %b: tensor<8x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}, {}]>}) -> (tensor<8x16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"batch"}, {}, {}]>]>} : (tensor<8x16x32xf32>, tensor<8x32x16xf32>) -> tensor<8x16x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"batch"}, {}]> : tensor<8x16x16xf32>
    return %1 : tensor<8x16x16xf32>
  }
}
