"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}], function_type = (tensor<4x4x8xf32>, tensor<8x4xf32>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<4x4x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<4x4x8xf32>, %arg8: tensor<8x4xf32>, %arg9: tensor<4x8x16xf32>, %arg10: tensor<4x16x8xf32>):
    %24 = "stablehlo.dot_general"(%arg7, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x8xf32>, tensor<8x4xf32>) -> tensor<4x4x4xf32>
    %25 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.reduce"(%24, %25) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %54 = "stablehlo.maximum"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%54) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %27 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %29 = "stablehlo.maximum"(%28, %26) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %32 = "stablehlo.subtract"(%24, %31) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %33 = "stablehlo.exponential"(%32) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.reduce"(%33, %34) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %53 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%53) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %38 = "stablehlo.divide"(%33, %37) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %39 = "func.call"(%38) <{callee = @argmax}> : (tensor<4x4x4xf32>) -> tensor<4x4xi32>
    %40 = "func.call"(%39) <{callee = @_one_hot}> : (tensor<4x4xi32>) -> tensor<4x4x4xf32>
    %41 = "stablehlo.multiply"(%40, %38) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %42 = "stablehlo.dot_general"(%41, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x4xf32>, tensor<4x4x8xf32>) -> tensor<4x4x4x8xf32>
    %43 = "stablehlo.transpose"(%42) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
    %44 = "sdy.manual_computation"(%43, %arg9, %arg10) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"model", ?}, {?}, {?}, {?}]>, <@mesh, [{"model", ?}, {?}, {?}]>, <@mesh, [{"model", ?}, {?}, {?}]>]>, manual_axes = #sdy<manual_axes{"model"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"model", ?}, {?}, {?}, {?}]>]>}> ({
    ^bb0(%arg13: tensor<1x4x4x8xf32>, %arg14: tensor<1x8x16xf32>, %arg15: tensor<1x16x8xf32>):
      %48 = "stablehlo.dot_general"(%arg13, %arg14) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<1x4x4x8xf32>, tensor<1x8x16xf32>) -> tensor<1x4x4x16xf32>
      %49 = "sdy.sharding_constraint"(%48) <{sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}, {?}]>}> : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
      %50 = "func.call"(%49) <{callee = @relu}> : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
      %51 = "stablehlo.dot_general"(%50, %arg15) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<1x4x4x16xf32>, tensor<1x16x8xf32>) -> tensor<1x4x4x8xf32>
      %52 = "sdy.sharding_constraint"(%51) <{sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}, {?}]>}> : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
      "sdy.return"(%52) : (tensor<1x4x4x8xf32>) -> ()
    }) : (tensor<4x4x4x8xf32>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<4x4x4x8xf32>
    %45 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.reduce"(%44, %45) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %47 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%47) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    "func.return"(%46) : (tensor<4x4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4x4xf32>) -> tensor<4x4xi32>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<4x4x4xf32>):
    %11 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<4x4x4xi32>
    %12 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14:2 = "stablehlo.reduce"(%arg2, %11, %12, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<i32>):
      %15 = "stablehlo.compare"(%arg3, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = "stablehlo.compare"(%arg3, %arg3) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = "stablehlo.or"(%15, %16) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %18 = "stablehlo.compare"(%arg3, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = "stablehlo.compare"(%arg4, %arg6) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = "stablehlo.and"(%18, %19) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %21 = "stablehlo.or"(%17, %20) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %22 = "stablehlo.select"(%17, %arg3, %arg5) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %23 = "stablehlo.select"(%21, %arg4, %arg6) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%22, %23) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<4x4x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x4xf32>, tensor<4x4xi32>)
    "func.return"(%14#1) : (tensor<4x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x4xi32>) -> tensor<4x4x4xf32>, res_attrs = [{}], sym_name = "_one_hot", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<4x4xi32>):
    %5 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xi32>) -> tensor<4x4x1xi32>
    %6 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<1x1x4xi32>
    %7 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xi32>) -> tensor<4x4x4xi32>
    %8 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x4xi32>) -> tensor<4x4x4xi32>
    %9 = "stablehlo.compare"(%7, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4x4xi32>, tensor<4x4x4xi32>) -> tensor<4x4x4xi1>
    %10 = "stablehlo.convert"(%9) : (tensor<4x4x4xi1>) -> tensor<4x4x4xf32>
    "func.return"(%10) : (tensor<4x4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<1x4x4x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x4x4x16xf32>
    %2 = "sdy.sharding_constraint"(%1) <{sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}, {?}]>}> : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %3 = "stablehlo.maximum"(%arg0, %2) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %4 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}, {?}]>}> : (tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    "func.return"(%4) : (tensor<1x4x4x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
