module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x12x12xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %1 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %3 = stablehlo.add %0, %2 : tensor<12x12xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %5 = stablehlo.convert %4 : (tensor<12x12xi1>) -> tensor<12x12xf32>
    %6 = stablehlo.slice %5 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %7 = stablehlo.convert %6 : tensor<12x12xf32>
    %8:2 = call @cumsum(%arg0, %7) : (tensor<16x12xf32>, tensor<12x12xf32>) -> (tensor<16x12xf32>, tensor<12x12xf32>)
    %9 = stablehlo.sine %arg0 : tensor<16x12xf32>
    %10 = stablehlo.cosine %arg0 : tensor<16x12xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 2] : (tensor<16x12xf32>) -> tensor<16x1x12xf32>
    %12 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<16x12x12xf32>
    %14 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<16x1x12xf32>) -> tensor<16x12x12xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<16x12x12xf32>
    %16 = stablehlo.broadcast_in_dim %9, dims = [0, 2] : (tensor<16x12xf32>) -> tensor<16x1x12xf32>
    %17 = stablehlo.broadcast_in_dim %8#1, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<16x12x12xf32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<16x1x12xf32>) -> tensor<16x12x12xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<16x12x12xf32>
    %21 = stablehlo.broadcast_in_dim %8#0, dims = [0, 2] : (tensor<16x12xf32>) -> tensor<16x1x12xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<16x1x12xf32>) -> tensor<16x12x12xf32>
    %23 = stablehlo.multiply %22, %15 : tensor<16x12x12xf32>
    %24 = stablehlo.add %20, %23 : tensor<16x12x12xf32>
    %25 = stablehlo.transpose %24, dims = [0, 2, 1] : (tensor<16x12x12xf32>) -> tensor<16x12x12xf32>
    %26 = stablehlo.slice %25 [0:16, 0:12, 0:12] : (tensor<16x12x12xf32>) -> tensor<16x12x12xf32>
    return %26 : tensor<16x12x12xf32>
  }
  func.func private @cumsum(%arg0: tensor<16x12xf32>, %arg1: tensor<12x12xf32>) -> (tensor<16x12xf32>, tensor<12x12xf32>) {
    %0 = call @cumsum_0(%arg0) : (tensor<16x12xf32>) -> tensor<16x12xf32>
    %1 = call @cumsum_1(%arg1) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    return %0, %1 : tensor<16x12xf32>, tensor<12x12xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<16x12xf32>) -> tensor<16x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [11, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 12>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x12xf32>, tensor<f32>) -> tensor<16x12xf32>
    return %1 : tensor<16x12xf32>
  }
  func.func private @cumsum_1(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [11, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 12>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12x12xf32>, tensor<f32>) -> tensor<12x12xf32>
    return %1 : tensor<12x12xf32>
  }
}
