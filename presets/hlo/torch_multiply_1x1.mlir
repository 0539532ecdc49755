// SPDX-License-Identifier: Apache-2.0
// PyTorch/XLA traces 2 * 3: the graph as it goes to the compiler, its dead constants left out.
module @IrToHlo.11 {
  func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>) -> tuple<tensor<1x1xf32>> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<1x1xf32>
    %1 = stablehlo.tuple %0 : tuple<tensor<1x1xf32>>
    return %1 : tuple<tensor<1x1xf32>>
  }
}
