"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}], function_type = (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x32xcomplex<f32>>, %arg1: tensor<16x32xcomplex<f32>>):
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %1 = "stablehlo.real"(%arg0) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %2 = "stablehlo.imag"(%arg0) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %3 = "stablehlo.negate"(%2) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %4 = "stablehlo.complex"(%1, %3) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %5 = "stablehlo.add"(%0, %4) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %6 = "stablehlo.abs"(%arg1) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %7 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %9 = "stablehlo.add"(%6, %8) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %10 = "stablehlo.convert"(%9) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %11 = "stablehlo.divide"(%5, %10) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    "func.return"(%11) : (tensor<16x32xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
