module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x32x64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {}, {}]>}, %arg1: tensor<64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<64x192xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>}, %arg4: tensor<64x64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>}, %arg5: tensor<64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg7: tensor<64x256xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>}, %arg8: tensor<256x64xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>}) -> (tensor<4x32x64xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x32x64xf16>) -> tensor<4x32x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<4x32x1xf32>
    %5 = stablehlo.convert %4 : (tensor<4x32x1xf32>) -> tensor<4x32x1xf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %7 = stablehlo.subtract %arg0, %6 : tensor<4x32x64xf16>
    %8 = stablehlo.multiply %7, %7 : tensor<4x32x64xf16>
    %9 = stablehlo.convert %8 : (tensor<4x32x64xf16>) -> tensor<4x32x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x32xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4x32x1xf32>
    %14 = stablehlo.convert %13 : (tensor<4x32x1xf32>) -> tensor<4x32x1xf16>
    %15 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %16 = stablehlo.subtract %arg0, %15 : tensor<4x32x64xf16>
    %cst_3 = stablehlo.constant dense<1.001360e-05> : tensor<f16>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<4x32x1xf16>
    %18 = stablehlo.add %14, %17 : tensor<4x32x1xf16>
    %19 = stablehlo.rsqrt %18 : tensor<4x32x1xf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %21 = stablehlo.multiply %16, %20 : tensor<4x32x64xf16>
    %22 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<4x32x64xf16>
    %24 = stablehlo.multiply %21, %23 : tensor<4x32x64xf16>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<4x32x64xf16>
    %27 = stablehlo.add %24, %26 : tensor<4x32x64xf16>
    %28 = stablehlo.dot_general %27, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32x64xf16>, tensor<64x192xf16>) -> tensor<4x32x192xf16>
    %29 = stablehlo.slice %28 [0:4, 0:32, 0:64] : (tensor<4x32x192xf16>) -> tensor<4x32x64xf16>
    %30 = stablehlo.slice %28 [0:4, 0:32, 64:128] : (tensor<4x32x192xf16>) -> tensor<4x32x64xf16>
    %31 = stablehlo.slice %28 [0:4, 0:32, 128:192] : (tensor<4x32x192xf16>) -> tensor<4x32x64xf16>
    %32 = stablehlo.reshape %29 : (tensor<4x32x64xf16>) -> tensor<4x32x4x16xf16>
    %33 = stablehlo.reshape %30 : (tensor<4x32x64xf16>) -> tensor<4x32x4x16xf16>
    %34 = stablehlo.reshape %31 : (tensor<4x32x64xf16>) -> tensor<4x32x4x16xf16>
    %35 = stablehlo.dot_general %32, %33, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x32x4x16xf16>, tensor<4x32x4x16xf16>) -> tensor<4x4x32x32xf16>
    %36 = stablehlo.convert %35 : (tensor<4x4x32x32xf16>) -> tensor<4x4x32x32xf32>
    %cst_4 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4x32x32xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<4x4x32x32xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %39 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %40 = call @tril(%39) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = call @_where(%40, %38, %cst_5) : (tensor<32x32xi1>, tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32x32xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4x32xf32>
    %44 = stablehlo.maximum %43, %42 : tensor<4x4x32xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %47 = stablehlo.subtract %41, %46 : tensor<4x4x32x32xf32>
    %48 = stablehlo.exponential %47 : tensor<4x4x32x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %52 = stablehlo.divide %48, %51 : tensor<4x4x32x32xf32>
    %53 = stablehlo.convert %52 : (tensor<4x4x32x32xf32>) -> tensor<4x4x32x32xf16>
    %54 = stablehlo.dot_general %34, %53, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x32x4x16xf16>, tensor<4x4x32x32xf16>) -> tensor<4x4x16x32xf16>
    %55 = stablehlo.transpose %54, dims = [0, 3, 1, 2] : (tensor<4x4x16x32xf16>) -> tensor<4x32x4x16xf16>
    %56 = stablehlo.reshape %55 : (tensor<4x32x4x16xf16>) -> tensor<4x32x64xf16>
    %57 = stablehlo.dot_general %56, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32x64xf16>, tensor<64x64xf16>) -> tensor<4x32x64xf16>
    %58 = stablehlo.add %arg0, %57 : tensor<4x32x64xf16>
    %59 = stablehlo.convert %58 : (tensor<4x32x64xf16>) -> tensor<4x32x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x32xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %cst_10 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %63 = stablehlo.divide %61, %62 : tensor<4x32x1xf32>
    %64 = stablehlo.convert %63 : (tensor<4x32x1xf32>) -> tensor<4x32x1xf16>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %66 = stablehlo.subtract %58, %65 : tensor<4x32x64xf16>
    %67 = stablehlo.multiply %66, %66 : tensor<4x32x64xf16>
    %68 = stablehlo.convert %67 : (tensor<4x32x64xf16>) -> tensor<4x32x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x32xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %cst_12 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %72 = stablehlo.divide %70, %71 : tensor<4x32x1xf32>
    %73 = stablehlo.convert %72 : (tensor<4x32x1xf32>) -> tensor<4x32x1xf16>
    %74 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %75 = stablehlo.subtract %58, %74 : tensor<4x32x64xf16>
    %cst_13 = stablehlo.constant dense<1.001360e-05> : tensor<f16>
    %76 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f16>) -> tensor<4x32x1xf16>
    %77 = stablehlo.add %73, %76 : tensor<4x32x1xf16>
    %78 = stablehlo.rsqrt %77 : tensor<4x32x1xf16>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<4x32x1xf16>) -> tensor<4x32x64xf16>
    %80 = stablehlo.multiply %75, %79 : tensor<4x32x64xf16>
    %81 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<4x32x64xf16>
    %83 = stablehlo.multiply %80, %82 : tensor<4x32x64xf16>
    %84 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<4x32x64xf16>
    %86 = stablehlo.add %83, %85 : tensor<4x32x64xf16>
    %87 = stablehlo.dot_general %86, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32x64xf16>, tensor<64x256xf16>) -> tensor<4x32x256xf16>
    %88 = stablehlo.multiply %87, %87 : tensor<4x32x256xf16>
    %89 = stablehlo.multiply %88, %87 : tensor<4x32x256xf16>
    %cst_14 = stablehlo.constant dense<4.470830e-02> : tensor<f16>
    %90 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f16>) -> tensor<4x32x256xf16>
    %91 = stablehlo.multiply %90, %89 : tensor<4x32x256xf16>
    %92 = stablehlo.add %87, %91 : tensor<4x32x256xf16>
    %cst_15 = stablehlo.constant dense<7.978520e-01> : tensor<f16>
    %93 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f16>) -> tensor<4x32x256xf16>
    %94 = stablehlo.multiply %93, %92 : tensor<4x32x256xf16>
    %95 = stablehlo.tanh %94 : tensor<4x32x256xf16>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %96 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f16>) -> tensor<4x32x256xf16>
    %97 = stablehlo.add %96, %95 : tensor<4x32x256xf16>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %98 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f16>) -> tensor<4x32x256xf16>
    %99 = stablehlo.multiply %98, %97 : tensor<4x32x256xf16>
    %100 = stablehlo.multiply %87, %99 : tensor<4x32x256xf16>
    %101 = stablehlo.dot_general %100, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32x256xf16>, tensor<256x64xf16>) -> tensor<4x32x64xf16>
    %102 = stablehlo.add %58, %101 : tensor<4x32x64xf16>
    return %102 : tensor<4x32x64xf16>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<4x4x32x32xf32>, %arg2: tensor<f32>) -> tensor<4x4x32x32xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<4x4x32x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x4x32x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x4x32x32xi1>, tensor<4x4x32x32xf32>
    return %3 : tensor<4x4x32x32xf32>
  }
}
