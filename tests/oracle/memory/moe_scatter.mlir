module @jit_moe attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}, {}]>}, %arg3: tensor<8x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}, {}]>}) -> (tensor<64x32xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<64xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<64x8xf32>
    %7 = stablehlo.exponential %6 : tensor<64x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %11 = stablehlo.divide %7, %10 : tensor<64x8xf32>
    %values, %indices = chlo.top_k(%11, k = 1) : tensor<64x8xf32> -> (tensor<64x1xf32>, tensor<64x1xi32>)
    %12 = stablehlo.reshape %indices : (tensor<64x1xi32>) -> tensor<64xi32>
    %13 = call @_one_hot(%12) : (tensor<64xi32>) -> tensor<64x8xi32>
    %14 = call @cumsum(%13) : (tensor<64x8xi32>) -> tensor<64x8xi32>
    %15 = stablehlo.multiply %14, %13 : tensor<64x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.reduce(%15 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<64x8xi32>, tensor<i32>) -> tensor<64xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %18 = stablehlo.subtract %16, %17 : tensor<64xi32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x32xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %21 = stablehlo.compare LT, %12, %20, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_5 = stablehlo.constant dense<8> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %23 = stablehlo.add %12, %22 : tensor<64xi32>
    %24 = stablehlo.select %21, %23, %12 : tensor<64xi1>, tensor<64xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %26 = stablehlo.compare LT, %18, %25, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_7 = stablehlo.constant dense<16> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %28 = stablehlo.add %18, %27 : tensor<64xi32>
    %29 = stablehlo.select %26, %28, %18 : tensor<64xi1>, tensor<64xi32>
    %30 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %32 = stablehlo.concatenate %30, %31, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
    %33 = "stablehlo.scatter"(%19, %32, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<8x16x32xf32>, tensor<64x2xi32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %34 = stablehlo.dot_general %33, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x32x64xf32>) -> tensor<8x16x64xf32>
    %35 = call @silu(%34) : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %36 = stablehlo.dot_general %35, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x64x32xf32>) -> tensor<8x16x32xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %38 = stablehlo.compare LT, %12, %37, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_9 = stablehlo.constant dense<8> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %40 = stablehlo.add %12, %39 : tensor<64xi32>
    %41 = stablehlo.select %38, %40, %12 : tensor<64xi1>, tensor<64xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %43 = stablehlo.compare LT, %18, %42, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_11 = stablehlo.constant dense<16> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %45 = stablehlo.add %18, %44 : tensor<64xi32>
    %46 = stablehlo.select %43, %45, %18 : tensor<64xi1>, tensor<64xi32>
    %47 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %48 = stablehlo.broadcast_in_dim %46, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %49 = stablehlo.concatenate %47, %48, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
    %c_12 = stablehlo.constant dense<[7, 15]> : tensor<2xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<64x2xi32>
    %51 = stablehlo.compare GE, %49, %50, SIGNED : (tensor<64x2xi32>, tensor<64x2xi32>) -> tensor<64x2xi1>
    %52 = stablehlo.broadcast_in_dim %c_12, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<64x2xi32>
    %54 = stablehlo.compare LE, %49, %53, SIGNED : (tensor<64x2xi32>, tensor<64x2xi32>) -> tensor<64x2xi1>
    %55 = stablehlo.and %51, %54 : tensor<64x2xi1>
    %c_14 = stablehlo.constant dense<true> : tensor<i1>
    %56 = stablehlo.reduce(%55 init: %c_14) applies stablehlo.and across dimensions = [1] : (tensor<64x2xi1>, tensor<i1>) -> tensor<64xi1>
    %57 = "stablehlo.gather"(%36, %49) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 32>}> : (tensor<8x16x32xf32>, tensor<64x2xi32>) -> tensor<64x32xf32>
    %58 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<64xi1>) -> tensor<64x32xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %60 = stablehlo.select %58, %57, %59 : tensor<64x32xi1>, tensor<64x32xf32>
    %61 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x32xf32>
    %62 = stablehlo.multiply %60, %61 : tensor<64x32xf32>
    return %62 : tensor<64x32xf32>
  }
  func.func private @_one_hot(%arg0: tensor<64xi32>) -> tensor<64x8xi32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<64x1xi32>) -> tensor<64x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x8xi32>) -> tensor<64x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<64x8xi32>, tensor<64x8xi32>) -> tensor<64x8xi1>
    %5 = stablehlo.convert %4 : (tensor<64x8xi1>) -> tensor<64x8xi32>
    return %5 : tensor<64x8xi32>
  }
  func.func private @cumsum(%arg0: tensor<64x8xi32>) -> tensor<64x8xi32> {
    %0 = call @cumsum_0(%arg0) : (tensor<64x8xi32>) -> tensor<64x8xi32>
    return %0 : tensor<64x8xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<64x8xi32>) -> tensor<64x8xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 64, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<64x8xi32>, tensor<i32>) -> tensor<64x8xi32>
    return %1 : tensor<64x8xi32>
  }
  func.func private @silu(%arg0: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8x16x64xf32>
    %1 = stablehlo.exponential %0 : tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %3 = stablehlo.add %2, %1 : tensor<8x16x64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %5 = stablehlo.divide %4, %3 : tensor<8x16x64xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<8x16x64xf32>
    return %6 : tensor<8x16x64xf32>
  }
}
