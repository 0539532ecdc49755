// one_of_each_row, by JAX 0.10.2
// argument 0 = [[0.7,-0.98,-1.57,-2.92,-0.35,1.25],[0.03,0.51,1.02,-0.88,2.65,-0.88],[0.37,2.74,-0.11,0.11,-0.51,0.33],[-2.13,-0.65,1.69,0.21,-0.24,0.37],[0.41,0.15,0.58,-1.66,0.59,-0.67],[0.79,-0.02,-1.,-0.07,-1.01,1.01],[-0.03,0.85,-1.12,1.62,-0.3,1.37],[0.85,-1.1,0.32,-0.54,0.41,1.43]]
// argument 1 = [1,4,1,0,5,5,-1,3]
// result 0 = 23.664902
// result 1 = [[0.,-1.96,0.,0.,0.,0.],[0.,0.,0.,0.,5.3,0.],[0.,5.48,0.,0.,0.,0.],[-4.26,0.,0.,0.,0.,0.],[0.,0.,0.,0.,0.,-1.34],[0.,0.,0.,0.,0.,2.02],[0.,0.,0.,0.,0.,2.74],[0.,0.,0.,-1.08,0.,0.]]
module @jit_one_of_each_row attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.add %0, %3 : tensor<8xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<8xi1>, tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %7 = stablehlo.compare LT, %arg1, %6, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %9 = stablehlo.add %arg1, %8 : tensor<8xi32>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<8xi1>, tensor<8xi32>
    %11 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %13 = stablehlo.concatenate %11, %12, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %14 = "stablehlo.gather"(%arg0, %13) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x6xf32>, tensor<8x2xi32>) -> tensor<8xf32>
    %15 = stablehlo.multiply %14, %14 : tensor<8xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %17 = stablehlo.multiply %16, %14 : tensor<8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %22 = "stablehlo.scatter"(%21, %13, %20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %23 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %23 : tensor<f32>
    }) : (tensor<8x6xf32>, tensor<8x2xi32>, tensor<8xf32>) -> tensor<8x6xf32>
    return %18, %22 : tensor<f32>, tensor<8x6xf32>
  }
}
