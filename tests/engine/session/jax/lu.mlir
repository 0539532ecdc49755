// lu, by JAX 0.10.2
// argument 0 = [[[0.03,1.36,1.22],[-0.51,-0.3,-0.53],[0.57,-0.06,0.75],[-1.85,1.57,-0.1]],[[0.68,-0.14,-0.38],[0.46,0.82,-0.2],[-0.15,0.69,-0.87],[-1.51,0.39,-0.67]],[[-1.92,-0.81,-0.47],[-1.19,-1.49,0.04],[0.9,-0.23,-0.74],[0.38,0.72,-0.3]],[[0.54,1.04,-0.21],[-0.81,0.35,0.25],[1.1,-1.28,-0.66],[-0.84,-1.73,0.13]]]
// result 0 = [[[0.,1.,0.,0.],[0.,0.,0.,1.],[0.,0.,1.,0.],[1.,0.,0.,0.]],[[0.,0.,1.,0.],[0.,1.,0.,0.],[0.,0.,0.,1.],[1.,0.,0.,0.]],[[1.,0.,0.,0.],[0.,1.,0.,0.],[0.,0.,1.,0.],[0.,0.,0.,1.]],[[0.,0.,0.,1.],[0.,0.,1.,0.],[1.,0.,0.,0.],[0.,1.,0.,0.]]]
// result 1 = [[[1.,0.,0.],[-0.016216215,1.,0.],[-0.3081081,0.30584058,1.],[0.27567565,-0.52892977,0.409754]],[[1.,0.,0.],[-0.30463576,1.,0.],[-0.45033112,0.03795145,1.],[0.09933775,0.69370764,0.78499955]],[[1.,0.,0.],[0.61979175,1.,0.],[-0.46875003,0.61711216,1.],[-0.19791669,-0.5665033,0.17629088]],[[1.,0.,0.],[-0.7636363,1.,0.],[-0.7363636,0.21885702,1.],[0.4909091,-0.6162112,0.7555292]]]
// result 2 = [[[-1.85,1.57,-0.1],[0.,1.3854594,1.2183784],[0.,0.,0.3465596]],[[-1.51,0.39,-0.67],[0.,0.93880796,-0.40410596],[0.,0.,-0.6663855]],[[-1.92,-0.81,-0.47],[0.,-0.9879687,0.3313021],[0.,0.,-1.1647631]],[[1.1,-1.28,-0.66],[0.,-2.7074544,-0.37399995],[0.,0.,-0.15414748]]]
module @jit_lu attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x4x4xf32> {jax.result_info = "result[0]"}, tensor<4x4x3xf32> {jax.result_info = "result[1]"}, tensor<4x3x3xf32> {jax.result_info = "result[2]"}) {
    %0:3 = call @lu(%arg0) : (tensor<4x4x3xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @lu(%arg0: tensor<4x4x3xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>) {
    %0:3 = call @_lu(%arg0) : (tensor<4x4x3xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @_lu(%arg0: tensor<4x4x3xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=4, j=4, k=3, l=4, m=3, n=3}, custom>} : (tensor<4x4x3xf32>) -> (tensor<4x4x3xf32>, tensor<4x3xi32>, tensor<4xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<4x3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x3xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x4x3xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<4x4x3xi1>, tensor<4x4x3xf32>
    %9 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_4 = %c_2, %iterArg_5 = %c_1, %iterArg_6 = %9) : tensor<4x3xi32>, tensor<i32>, tensor<i32>, tensor<4x4xi32>
    cond {
      %c_7 = stablehlo.constant dense<3> : tensor<i32>
      %31 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    } do {
      %31:2 = func.call @closed_call(%iterArg, %iterArg_5, %iterArg_6) : (tensor<4x3xi32>, tensor<i32>, tensor<4x4xi32>) -> (tensor<i32>, tensor<4x4xi32>)
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %32 = stablehlo.add %iterArg_4, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %32, %31#0, %31#1 : tensor<4x3xi32>, tensor<i32>, tensor<i32>, tensor<4x4xi32>
    }
    %11 = stablehlo.broadcast_in_dim %10#3, dims = [0, 2] : (tensor<4x4xi32>) -> tensor<4x1x4xi32>
    %12 = stablehlo.iota dim = 0 : tensor<4xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1, 2] : (tensor<4x1xi32>) -> tensor<1x4x1xi32>
    %15 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<4x1x4xi32>) -> tensor<4x4x4xi32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x4x1xi32>) -> tensor<4x4x4xi32>
    %17 = stablehlo.compare EQ, %15, %16, SIGNED : (tensor<4x4x4xi32>, tensor<4x4x4xi32>) -> tensor<4x4x4xi1>
    %18 = stablehlo.convert %17 : (tensor<4x4x4xi1>) -> tensor<4x4x4xf32>
    %19 = call @tril(%8) : (tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
    %20 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %21 = stablehlo.iota dim = 1 : tensor<4x3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %23 = stablehlo.add %20, %22 : tensor<4x3xi32>
    %24 = stablehlo.compare EQ, %23, %21, SIGNED : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
    %25 = stablehlo.convert %24 : (tensor<4x3xi1>) -> tensor<4x3xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<1x4x3xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x4x3xf32>) -> tensor<4x4x3xf32>
    %28 = stablehlo.add %19, %27 : tensor<4x4x3xf32>
    %29 = call @triu(%8) : (tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
    %30 = stablehlo.slice %29 [0:4, 0:3, 0:3] : (tensor<4x4x3xf32>) -> tensor<4x3x3xf32>
    return %18, %28, %30 : tensor<4x4x4xf32>, tensor<4x4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x3xi32>, %arg1: tensor<i32>, %arg2: tensor<4x4xi32>) -> (tensor<i32>, tensor<4x4xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 4, 1>}> : (tensor<4x3xi32>, tensor<1xi32>) -> tensor<4x1xi32>
    %7 = stablehlo.reshape %6 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.convert %arg1 : tensor<i32>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %10 = stablehlo.add %9, %c_3 : tensor<i32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<i1>, tensor<i32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.gather"(%arg2, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 4, 1>}> : (tensor<4x4xi32>, tensor<1xi32>) -> tensor<4x1xi32>
    %14 = stablehlo.reshape %13 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %16 = stablehlo.compare LT, %7, %15, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %18 = stablehlo.add %7, %17 : tensor<4xi32>
    %19 = stablehlo.select %16, %18, %7 : tensor<4xi1>, tensor<4xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %21 = "stablehlo.gather"(%arg2, %20) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %22 = stablehlo.reshape %21 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %24 = stablehlo.add %arg1, %c_7 : tensor<i32>
    %25 = stablehlo.select %23, %24, %arg1 : tensor<i1>, tensor<i32>
    %26 = stablehlo.convert %25 : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%arg2, %27, %22) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4x4xi32>, tensor<1xi32>, tensor<4xi32>) -> tensor<4x4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %30 = stablehlo.compare LT, %7, %29, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_9 = stablehlo.constant dense<4> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %32 = stablehlo.add %7, %31 : tensor<4xi32>
    %33 = stablehlo.select %30, %32, %7 : tensor<4xi1>, tensor<4xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %35 = "stablehlo.scatter"(%28, %34, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4x4xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<4x4xi32>
    return %0, %35 : tensor<i32>, tensor<4x4xi32>
  }
  func.func private @tril(%arg0: tensor<4x4x3xf32>) -> tensor<4x4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x3xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x3xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x3xi1>) -> tensor<4x4x3xi1>
    %7 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<4x4x3xf32>
    %8 = stablehlo.select %6, %arg0, %7 : tensor<4x4x3xi1>, tensor<4x4x3xf32>
    return %8 : tensor<4x4x3xf32>
  }
  func.func private @triu(%arg0: tensor<4x4x3xf32>) -> tensor<4x4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x3xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x3xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x3xi1>) -> tensor<4x4x3xi1>
    %7 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<4x4x3xf32>
    %8 = stablehlo.select %6, %7, %arg0 : tensor<4x4x3xi1>, tensor<4x4x3xf32>
    return %8 : tensor<4x4x3xf32>
  }
}
