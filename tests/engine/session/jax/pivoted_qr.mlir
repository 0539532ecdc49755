// pivoted_qr, by JAX 0.10.2
// argument 0 = [[[-1.1,-0.73,-0.78],[0.27,-0.25,0.13],[0.84,0.86,0.48]],[[-0.45,-0.75,-0.81],[-0.34,-0.05,-0.97],[-1.13,0.31,-1.85]],[[-0.18,0.43,-0.99],[-1.11,-0.76,0.65],[-0.13,-1.87,-0.42]],[[1.01,0.98,0.63],[-0.24,-1.84,0.17],[-0.18,0.08,1.54]]]
// result 0 = [[[-0.7800635,0.14825992,0.6078817],[0.19147012,-0.868355,0.45749208],[0.59568477,0.47326398,0.6489845]],[[-0.36153865,0.9069749,0.21607056],[-0.43295377,0.041929606,-0.9004404],[-0.8257365,-0.41909254,0.377519]],[[-0.20835042,0.77810556,0.5925722],[0.36824712,-0.49887535,0.7845493],[0.90608174,0.38167426,-0.18259431]],[[-0.46974444,-0.32150558,-0.8221766],[0.88196915,-0.2113678,-0.4212529],[-0.038346484,-0.92301565,0.38284683]]]
// result 1 = [[[1.4101417e+00,1.0338677e+00,9.1926932e-01],[0.0000000e+00,5.1586598e-01,-1.3621673e-03],[0.0000000e+00,0.0000000e+00,-1.0316121e-01]],[[2.2404242e+00,3.6823332e-02,1.2429790e+00],[0.0000000e+00,-8.1224626e-01,5.1179826e-02],[0.0000000e+00,0.0000000e+00,-2.1767846e-01]],[[-2.0638316e+00,6.5073252e-02,-4.8904186e-01],[0.0000000e+00,-1.2548965e+00,3.6407495e-01],[0.0000000e+00,0.0000000e+00,-9.5377547e-01]],[[-2.0862408e+00,-2.0505780e-01,-6.7921209e-01],[0.0000000e+00,-1.6599250e+00,-1.0784960e-01],[0.0000000e+00,0.0000000e+00,-7.9821008e-01]]]
// result 2 = [[0,1,2],[2,1,0],[1,2,0],[1,2,0]]
module @jit_pivoted_qr attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x3x3xf32> {jax.result_info = "result[0]"}, tensor<4x3x3xf32> {jax.result_info = "result[1]"}, tensor<4x3xi32> {jax.result_info = "result[2]"}) {
    %0:3 = call @_qr(%arg0) : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3xi32>)
    return %0#0, %0#1, %0#2 : tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3xi32>
  }
  func.func private @_qr(%arg0: tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %1:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n], [i, o], [i, p]) {i=4, j=3, k=3, l=3, m=3, n=3, o=3, p=3}, custom>} : (tensor<4x3x3xf32>, tensor<4x3xi32>) -> (tensor<4x3x3xf32>, tensor<4x3xi32>, tensor<4x3xf32>)
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
    %3 = stablehlo.subtract %1#1, %2 : tensor<4x3xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %1#0, %cst, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<4x3x3xf32>, tensor<f32>) -> tensor<4x3x3xf32>
    %5 = stablehlo.custom_call @lapack_sorgqr_ffi(%4, %1#2) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=4, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<4x3x3xf32>, tensor<4x3xf32>) -> tensor<4x3x3xf32>
    %6 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_1 = stablehlo.constant dense<-1> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %8 = stablehlo.add %6, %7 : tensor<3x3xi32>
    %9 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %10 = stablehlo.compare GE, %8, %9, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<4x3x3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %13 = stablehlo.select %11, %12, %1#0 : tensor<4x3x3xi1>, tensor<4x3x3xf32>
    return %5, %13, %3 : tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3xi32>
  }
}
