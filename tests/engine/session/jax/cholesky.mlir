// cholesky, by JAX 0.10.2
// argument 0 = [[[6.35,-0.22,-1.93],[-0.22,4.15,0.07],[-1.93,0.07,5.68]],[[5.42,0.98,1.77],[0.98,5.06,2.16],[1.77,2.16,8.8]],[[5.2,-0.77,-0.36],[-0.77,6.23,1.29],[-0.36,1.29,7.69]],[[6.38,-1.94,0.87],[-1.94,7.47,0.16],[0.87,0.16,6.41]]]
// result 0 = [[[2.5199206e+00,0.0000000e+00,0.0000000e+00],[-8.7304339e-02,2.0352833e+00,0.0000000e+00],[-7.6589710e-01,1.5397675e-03,2.2568560e+00]],[[2.3280895e+00,0.0000000e+00,0.0000000e+00],[4.2094603e-01,2.2097068e+00,0.0000000e+00],[7.6028007e-01,8.3267301e-01,2.7438350e+00]],[[2.2803509e+00,0.0000000e+00,0.0000000e+00],[-3.3766732e-01,2.4730508e+00,0.0000000e+00],[-1.5787044e-01,5.0006747e-01,2.7230515e+00]],[[2.5258663e+00,0.0000000e+00,0.0000000e+00],[-7.6805335e-01,2.6229932e+00,0.0000000e+00],[3.4443629e-01,1.6185533e-01,2.5030315e+00]]]
module @jit_cholesky attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x3x3xf32> {jax.result_info = "result"}) {
    %0 = call @cholesky(%arg0) : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    return %0 : tensor<4x3x3xf32>
  }
  func.func private @cholesky(%arg0: tensor<4x3x3xf32>) -> tensor<4x3x3xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x3x3xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=4, j=3, k=3, l=3, m=3}, custom>} : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xi1>) -> tensor<4x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<4x1x1xi1>) -> tensor<4x3x3xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    %11 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %13 = stablehlo.add %11, %12 : tensor<3x3xi32>
    %14 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<4x3x3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    return %18 : tensor<4x3x3xf32>
  }
}
