module @jit_adamw attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<256x64xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<256x64xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<256x64xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<256x64xf32> {jax.result_info = "result[0]"}, tensor<256x64xf32> {jax.result_info = "result[1]"}, tensor<256x64xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<256x64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %3 = stablehlo.multiply %2, %arg3 : tensor<256x64xf32>
    %4 = stablehlo.add %1, %3 : tensor<256x64xf32>
    %cst_1 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %6 = stablehlo.multiply %5, %arg2 : tensor<256x64xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %8 = stablehlo.multiply %7, %arg3 : tensor<256x64xf32>
    %9 = stablehlo.multiply %8, %arg3 : tensor<256x64xf32>
    %10 = stablehlo.add %6, %9 : tensor<256x64xf32>
    %11 = stablehlo.sqrt %10 : tensor<256x64xf32>
    %cst_3 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %13 = stablehlo.add %11, %12 : tensor<256x64xf32>
    %14 = stablehlo.divide %4, %13 : tensor<256x64xf32>
    %cst_4 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %16 = stablehlo.multiply %15, %arg0 : tensor<256x64xf32>
    %17 = stablehlo.add %14, %16 : tensor<256x64xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<256x64xf32>
    %20 = stablehlo.subtract %arg0, %19 : tensor<256x64xf32>
    return %20, %4, %10 : tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>
  }
}
