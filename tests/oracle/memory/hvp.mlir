module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<32x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %1 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %2 = stablehlo.tanh %0 : tensor<64x16xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<64x16xf32>
    %4 = stablehlo.add %1, %3 : tensor<64x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %6 = stablehlo.subtract %5, %2 : tensor<64x16xf32>
    %7 = stablehlo.multiply %4, %6 : tensor<64x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %9 = stablehlo.subtract %8, %2 : tensor<64x16xf32>
    %10 = stablehlo.negate %7 : tensor<64x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %12 = stablehlo.multiply %11, %2 : tensor<64x16xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %14 = stablehlo.multiply %13, %7 : tensor<64x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %16 = stablehlo.multiply %15, %12 : tensor<64x16xf32>
    %17 = stablehlo.multiply %15, %14 : tensor<64x16xf32>
    %18 = stablehlo.multiply %16, %9 : tensor<64x16xf32>
    %19 = stablehlo.multiply %17, %9 : tensor<64x16xf32>
    %20 = stablehlo.multiply %16, %10 : tensor<64x16xf32>
    %21 = stablehlo.add %19, %20 : tensor<64x16xf32>
    %22 = stablehlo.multiply %21, %2 : tensor<64x16xf32>
    %23 = stablehlo.multiply %18, %7 : tensor<64x16xf32>
    %24 = stablehlo.add %22, %23 : tensor<64x16xf32>
    %25 = stablehlo.add %21, %24 : tensor<64x16xf32>
    %26 = stablehlo.dot_general %25, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x16xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    return %27 : tensor<32x16xf32>
  }
}
