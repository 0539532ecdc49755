"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<32x64xf32>) -> tensor<32x64xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<32x64xf32>):
    %20 = "func.call"(%arg4) <{callee = @norm}> : (tensor<32x64xf32>) -> tensor<f32>
    %21 = "stablehlo.constant"() <{value = dense<1.000000e-07> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.add"(%20, %21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x64xf32>
    %24 = "stablehlo.divide"(%arg4, %23) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %25 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26:2 = "stablehlo.while"(%25, %24) ({
    ^bb0(%arg7: tensor<i32>, %arg8: tensor<32x64xf32>):
      %30 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %31 = "stablehlo.compare"(%arg7, %30) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%31) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<32x64xf32>):
      %27 = "func.call"(%arg6) <{callee = @closed_call}> : (tensor<32x64xf32>) -> tensor<32x64xf32>
      %28 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %29 = "stablehlo.add"(%arg5, %28) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%29, %27) : (tensor<i32>, tensor<32x64xf32>) -> ()
    }) : (tensor<i32>, tensor<32x64xf32>) -> (tensor<i32>, tensor<32x64xf32>)
    "func.return"(%26#1) : (tensor<32x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<32x64xf32>) -> tensor<f32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<32x64xf32>):
    %15 = "stablehlo.multiply"(%arg1, %arg1) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.reduce"(%15, %16) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %19 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%19) : (tensor<f32>) -> ()
    }) : (tensor<32x64xf32>, tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.sqrt"(%17) : (tensor<f32>) -> tensor<f32>
    "func.return"(%18) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<32x64xf32>) -> tensor<32x64xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<32x64xf32>):
    %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %1 = "stablehlo.dot_general"(%arg0, %0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    %2 = "stablehlo.constant"() <{value = dense<3.444500e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x64xf32>
    %4 = "stablehlo.multiply"(%3, %arg0) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %5 = "stablehlo.constant"() <{value = dense<-4.775000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %7 = "stablehlo.multiply"(%6, %1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %8 = "stablehlo.constant"() <{value = dense<2.031500e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %10 = "stablehlo.multiply"(%9, %1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %11 = "stablehlo.dot_general"(%10, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %12 = "stablehlo.add"(%7, %11) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %13 = "stablehlo.dot_general"(%12, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %14 = "stablehlo.add"(%4, %13) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    "func.return"(%14) : (tensor<32x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
