// SPDX-License-Identifier: Apache-2.0
// A sum whose operands are annotated by hand.
module @IrToHlo.19 {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tuple<tensor<2x2xf32>> {
    %0 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = call @AddForward(%0, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.tuple %2 : tuple<tensor<2x2xf32>>
    return %3 : tuple<tensor<2x2xf32>>
  }
  func.func private @AddForward(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
