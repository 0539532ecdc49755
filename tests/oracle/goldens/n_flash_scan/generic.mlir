"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}], function_type = (tensor<4x32x16xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg12: tensor<4x32x16xf32>, %arg13: tensor<4x32x16xf32>, %arg14: tensor<4x32x16xf32>):
    %28 = "stablehlo.reshape"(%arg13) : (tensor<4x32x16xf32>) -> tensor<4x4x8x16xf32>
    %29 = "stablehlo.transpose"(%28) <{permutation = array<i64: 1, 0, 2, 3>}> : (tensor<4x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %30 = "stablehlo.reshape"(%arg14) : (tensor<4x32x16xf32>) -> tensor<4x4x8x16xf32>
    %31 = "stablehlo.transpose"(%30) <{permutation = array<i64: 1, 0, 2, 3>}> : (tensor<4x4x8x16xf32>) -> tensor<4x4x8x16xf32>
    %32 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32xf32>
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32xf32>
    %36 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x16xf32>
    %38 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %39:7 = "stablehlo.while"(%29, %31, %arg12, %38, %33, %35, %37) ({
    ^bb0(%arg22: tensor<4x4x8x16xf32>, %arg23: tensor<4x4x8x16xf32>, %arg24: tensor<4x32x16xf32>, %arg25: tensor<i32>, %arg26: tensor<4x32xf32>, %arg27: tensor<4x32xf32>, %arg28: tensor<4x32x16xf32>):
      %48 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %49 = "stablehlo.compare"(%arg25, %48) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%49) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg15: tensor<4x4x8x16xf32>, %arg16: tensor<4x4x8x16xf32>, %arg17: tensor<4x32x16xf32>, %arg18: tensor<i32>, %arg19: tensor<4x32xf32>, %arg20: tensor<4x32xf32>, %arg21: tensor<4x32x16xf32>):
      %43 = "func.call"(%arg15, %arg18) <{callee = @dynamic_index_in_dim}> : (tensor<4x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>
      %44 = "func.call"(%arg16, %arg18) <{callee = @dynamic_index_in_dim}> : (tensor<4x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>
      %45:3 = "func.call"(%arg17, %arg19, %arg20, %arg21, %43, %44) <{callee = @closed_call}> : (tensor<4x32x16xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>)
      %46 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %47 = "stablehlo.add"(%arg18, %46) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg15, %arg16, %arg17, %47, %45#0, %45#1, %45#2) : (tensor<4x4x8x16xf32>, tensor<4x4x8x16xf32>, tensor<4x32x16xf32>, tensor<i32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>) -> ()
    }) : (tensor<4x4x8x16xf32>, tensor<4x4x8x16xf32>, tensor<4x32x16xf32>, tensor<i32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>) -> (tensor<4x4x8x16xf32>, tensor<4x4x8x16xf32>, tensor<4x32x16xf32>, tensor<i32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>)
    %40 = "stablehlo.broadcast_in_dim"(%39#5) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x32x1xf32>) -> tensor<4x32x16xf32>
    %42 = "stablehlo.divide"(%39#6, %41) : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    "func.return"(%42) : (tensor<4x32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x4x8x16xf32>, tensor<i32>) -> tensor<4x8x16xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<4x4x8x16xf32>, %arg11: tensor<i32>):
    %23 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %24 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26 = "stablehlo.dynamic_slice"(%arg10, %arg11, %23, %24, %25) <{slice_sizes = array<i64: 1, 4, 8, 16>}> : (tensor<4x4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8x16xf32>
    %27 = "stablehlo.reshape"(%26) : (tensor<1x4x8x16xf32>) -> tensor<4x8x16xf32>
    "func.return"(%27) : (tensor<4x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x32x16xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>), res_attrs = [{}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x32x16xf32>, %arg1: tensor<4x32xf32>, %arg2: tensor<4x32xf32>, %arg3: tensor<4x32x16xf32>, %arg4: tensor<4x8x16xf32>, %arg5: tensor<4x8x16xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x32x16xf32>, tensor<4x8x16xf32>) -> tensor<4x32x8xf32>
    %1 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %22 = "stablehlo.maximum"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%22) : (tensor<f32>) -> ()
    }) : (tensor<4x32x8xf32>, tensor<f32>) -> tensor<4x32xf32>
    %3 = "stablehlo.convert"(%arg1) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %4 = "stablehlo.maximum"(%3, %2) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x32x1xf32>) -> tensor<4x32x8xf32>
    %7 = "stablehlo.subtract"(%0, %6) : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
    %8 = "stablehlo.exponential"(%7) : (tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
    %9 = "stablehlo.convert"(%arg1) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %10 = "stablehlo.subtract"(%9, %4) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %11 = "stablehlo.exponential"(%10) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %12 = "stablehlo.multiply"(%arg2, %11) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.reduce"(%8, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %21 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%21) : (tensor<f32>) -> ()
    }) : (tensor<4x32x8xf32>, tensor<f32>) -> tensor<4x32xf32>
    %15 = "stablehlo.add"(%12, %14) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %16 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x32x1xf32>) -> tensor<4x32x16xf32>
    %18 = "stablehlo.multiply"(%arg3, %17) : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    %19 = "stablehlo.dot_general"(%8, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x32x8xf32>, tensor<4x8x16xf32>) -> tensor<4x32x16xf32>
    %20 = "stablehlo.add"(%18, %19) : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    "func.return"(%4, %15, %20) : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
