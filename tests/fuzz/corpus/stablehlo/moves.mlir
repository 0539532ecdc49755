func.func @main(%x: tensor<4x6xf32>, %i: tensor<i32>, %p: tensor<i1>) -> (tensor<6x4xf32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[[1.0, 0xFF800000], [0x7FC00000, -2.5e+01]]> : tensor<2x2xf32>
  %h = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.slice %x [0:4:2, 1:4] : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.pad %1, %z, low = [0, 1], high = [1, -1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %3 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %6 = stablehlo.select %p, %1, %1 : tensor<i1>, tensor<2x3xf32>
  %7 = "stablehlo.case"(%i) ({
    stablehlo.return %1 : tensor<2x3xf32>
  }, {
    stablehlo.return %6 : tensor<2x3xf32>
  }) : (tensor<i32>) -> tensor<2x3xf32>
  %8 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %9 = "stablehlo.sort"(%8) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %q = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %7 : tensor<6x4xf32>, tensor<2x3xf32>
}
