// SPDX-License-Identifier: Apache-2.0
// A sharded product of elements on 2x4 devices.
// As torch_xla's xm.get_stablehlo prints it: shardings are custom calls, axes have no names.
module @IrToHlo.21 attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<8192x16384xf32>, %arg1: tensor<8192x16384xf32>) -> tuple<tensor<8192x16384xf32>> {
    %0 = call @ShardedMultiply(%arg1, %arg0) : (tensor<8192x16384xf32>, tensor<8192x16384xf32>) -> tensor<8192x16384xf32>
    %1 = stablehlo.tuple %0 {mhlo.sharding = "{{replicated}}"} : tuple<tensor<8192x16384xf32>>
    return %1 : tuple<tensor<8192x16384xf32>>
  }
  func.func private @ShardedMultiply(%arg0: tensor<8192x16384xf32>, %arg1: tensor<8192x16384xf32>) -> tensor<8192x16384xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"} : (tensor<8192x16384xf32>) -> tensor<8192x16384xf32>
    %1 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"} : (tensor<8192x16384xf32>) -> tensor<8192x16384xf32>
    %2 = stablehlo.multiply %0, %1 {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"} : tensor<8192x16384xf32>
    return %2 : tensor<8192x16384xf32>
  }
}
