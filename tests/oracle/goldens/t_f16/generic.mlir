"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], function_type = (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf16>, %arg1: tensor<64x32xf16>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>
    %1 = "stablehlo.multiply"(%0, %0) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %2 = "stablehlo.multiply"(%1, %0) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %3 = "stablehlo.constant"() <{value = dense<4.470830e-02> : tensor<f16>}> : () -> tensor<f16>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<16x32xf16>
    %5 = "stablehlo.multiply"(%4, %2) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %6 = "stablehlo.add"(%0, %5) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %7 = "stablehlo.constant"() <{value = dense<7.978520e-01> : tensor<f16>}> : () -> tensor<f16>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<16x32xf16>
    %9 = "stablehlo.multiply"(%8, %6) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %10 = "stablehlo.tanh"(%9) : (tensor<16x32xf16>) -> tensor<16x32xf16>
    %11 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f16>}> : () -> tensor<f16>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<16x32xf16>
    %13 = "stablehlo.add"(%12, %10) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %14 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f16>}> : () -> tensor<f16>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<16x32xf16>
    %16 = "stablehlo.multiply"(%15, %13) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    %17 = "stablehlo.multiply"(%0, %16) : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
    "func.return"(%17) : (tensor<16x32xf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
