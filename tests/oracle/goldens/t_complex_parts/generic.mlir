"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x32xcomplex<f32>>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xi1>, tensor<16x32xi1>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x32xcomplex<f32>>):
    %3 = "stablehlo.real"(%arg1) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %4 = "stablehlo.imag"(%arg1) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %5 = "func.call"(%arg1) <{callee = @angle}> : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %6 = "stablehlo.compare"(%arg1, %arg1) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xi1>
    %7 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %9 = "stablehlo.compare"(%arg1, %8) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xi1>
    "func.return"(%3, %4, %5, %6, %9) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xi1>, tensor<16x32xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "angle", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x32xcomplex<f32>>):
    %0 = "stablehlo.real"(%arg0) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %1 = "stablehlo.imag"(%arg0) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %2 = "stablehlo.atan2"(%1, %0) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%2) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
