// SPDX-License-Identifier: Apache-2.0
// A sharded sum on 2 devices, annotated inside a called computation.
// As torch_xla's xm.get_stablehlo prints it: shardings are custom calls, axes have no names.
module @IrToHlo.21 attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tuple<tensor<2x2xf32>> {
    %0 = call @ShardedAddForwardWithCustomCall(%arg1, %arg0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.tuple %0 {mhlo.sharding = "{{replicated}}"} : tuple<tensor<2x2xf32>>
    return %1 : tuple<tensor<2x2xf32>>
  }
  func.func private @ShardedAddForwardWithCustomCall(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.add %0, %1 {mhlo.sharding = "{devices=[2,1]0,1}"} : tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
