// SPDX-License-Identifier: Apache-2.0
// Two layers with relu on mesh x=2,y=2: the batch over x, the hidden width over y (Megatron).
// As jax.jit(mlp).lower(x, w1, w2).as_text(debug_info=True) prints it.
module @mlp attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %w2: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<16x32xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32> loc(#loc1)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<16x64xf32> loc(#loc2)
    %3 = stablehlo.dot_general %2, %w2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32> loc(#loc3)
    return %3 : tensor<16x32xf32>
  }
}
#loc1 = loc("mlp/up"("mlp.py":12:6))
#loc2 = loc("mlp/relu"("mlp.py":13:9))
#loc3 = loc("mlp/down"("mlp.py":14:6))
