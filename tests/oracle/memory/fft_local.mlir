module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32x64xf32> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<32x64xf32>) -> tensor<32x64xcomplex<f32>>
    %1 = stablehlo.iota dim = 0 : tensor<64xi32>
    %2 = stablehlo.negate %1 : tensor<64xi32>
    %3 = stablehlo.convert %2 : (tensor<64xi32>) -> tensor<64xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %5 = stablehlo.divide %3, %4 : tensor<64xf32>
    %6 = stablehlo.exponential %5 : tensor<64xf32>
    %7 = stablehlo.convert %6 : (tensor<64xf32>) -> tensor<64xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<64xcomplex<f32>>) -> tensor<1x64xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x64xcomplex<f32>>) -> tensor<32x64xcomplex<f32>>
    %10 = stablehlo.multiply %0, %9 : tensor<32x64xcomplex<f32>>
    %11 = call @fft_0(%10) : (tensor<32x64xcomplex<f32>>) -> tensor<32x64xcomplex<f32>>
    %12 = stablehlo.real %11 : (tensor<32x64xcomplex<f32>>) -> tensor<32x64xf32>
    return %12 : tensor<32x64xf32>
  }
  func.func private @fft(%arg0: tensor<32x64xf32>) -> tensor<32x64xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<32x64xf32>) -> tensor<32x64xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [64] : (tensor<32x64xcomplex<f32>>) -> tensor<32x64xcomplex<f32>>
    return %1 : tensor<32x64xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<32x64xcomplex<f32>>) -> tensor<32x64xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [64] : (tensor<32x64xcomplex<f32>>) -> tensor<32x64xcomplex<f32>>
    return %0 : tensor<32x64xcomplex<f32>>
  }
}
