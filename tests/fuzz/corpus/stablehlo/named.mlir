func.func @main(%a: tensor<4x4xf32>, %u: tensor<2x2xf32>, %z: tensor<f32>, %t: !stablehlo.token) -> tensor<4x4xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = chlo.atan %1 : tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = chlo.lgamma %2 : tensor<4x4xf32> -> tensor<4x4xf32>
  %4 = "stablehlo.select_and_scatter"(%3, %u, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %9 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %9 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  %5:2 = "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
  %6 = "stablehlo.send"(%4, %5#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
  %7:2 = "stablehlo.recv"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>}> : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
  %8 = "stablehlo.map"(%7#0, %5#0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %9 = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %8 : tensor<4x4xf32>
}
