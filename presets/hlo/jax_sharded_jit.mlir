// SPDX-License-Identifier: Apache-2.0
// JAX's sharded_jit of x * y on 2 devices: shardings are custom calls, axes have no names.
module @xla_computation_f {
  func.func public @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tuple<tensor<2x2xf32>> {
    %0 = call @sharded_jit_f(%arg0, %arg1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.tuple %0 : tuple<tensor<2x2xf32>>
    return %1 : tuple<tensor<2x2xf32>>
  }
  func.func private @sharded_jit_f(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2x2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}
