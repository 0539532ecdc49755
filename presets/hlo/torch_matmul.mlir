// SPDX-License-Identifier: Apache-2.0
// A sharded matmul of PyTorch/XLA on 4 devices: annotations inside a called computation.
// As torch_xla's xm.get_stablehlo prints it: shardings are custom calls, axes have no names.
module @IrToHlo.21 attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<8192x8192xf32>, %arg1: tensor<8192x8192xf32>) -> tuple<tensor<8192x8192xf32>> {
    %0 = call @ShardedMatMul(%arg1, %arg0) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %1 = stablehlo.tuple %0 {mhlo.sharding = "{{replicated}}"} : tuple<tensor<8192x8192xf32>>
    return %1 : tuple<tensor<8192x8192xf32>>
  }
  func.func private @ShardedMatMul(%arg0: tensor<8192x8192xf32>, %arg1: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,2]0,1,2,3}"} : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %1 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,2]0,1,2,3}"} : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {mhlo.sharding = "{devices=[2,2]0,1,2,3}"} : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    return %2 : tensor<8192x8192xf32>
  }
}
