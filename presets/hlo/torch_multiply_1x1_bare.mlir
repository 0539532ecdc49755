// SPDX-License-Identifier: Apache-2.0
// The same graph in the generic form.
"builtin.module"() <{sym_name = "IrToHlo.11"}> ({
  "func.func"() <{function_type = (tensor<1x1xf32>, tensor<1x1xf32>) -> tuple<tensor<1x1xf32>>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>):
    %0 = "stablehlo.multiply"(%arg1, %arg0) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %1 = "stablehlo.tuple"(%0) : (tensor<1x1xf32>) -> tuple<tensor<1x1xf32>>
    "func.return"(%1) : (tuple<tensor<1x1xf32>>) -> ()
  }) : () -> ()
}) : () -> ()
