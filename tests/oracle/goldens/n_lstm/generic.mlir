"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}], function_type = (tensor<10x8x16xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>) -> tensor<10x8x16xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<10x8x16xf32>, %arg12: tensor<16x64xf32>, %arg13: tensor<16x64xf32>, %arg14: tensor<64xf32>):
    %48 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %50 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x8x16xf32>
    %52 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %53:8 = "stablehlo.while"(%arg11, %arg12, %arg13, %arg14, %52, %49, %49, %51) ({
    ^bb0(%arg23: tensor<10x8x16xf32>, %arg24: tensor<16x64xf32>, %arg25: tensor<16x64xf32>, %arg26: tensor<64xf32>, %arg27: tensor<i32>, %arg28: tensor<8x16xf32>, %arg29: tensor<8x16xf32>, %arg30: tensor<10x8x16xf32>):
      %59 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
      %60 = "stablehlo.compare"(%arg27, %59) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%60) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg15: tensor<10x8x16xf32>, %arg16: tensor<16x64xf32>, %arg17: tensor<16x64xf32>, %arg18: tensor<64xf32>, %arg19: tensor<i32>, %arg20: tensor<8x16xf32>, %arg21: tensor<8x16xf32>, %arg22: tensor<10x8x16xf32>):
      %54 = "func.call"(%arg15, %arg19) <{callee = @dynamic_index_in_dim}> : (tensor<10x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %55:3 = "func.call"(%arg16, %arg17, %arg18, %arg20, %arg21, %54) <{callee = @closed_call}> : (tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
      %56 = "func.call"(%arg22, %55#2, %arg19) <{callee = @dynamic_update_index_in_dim}> : (tensor<10x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<10x8x16xf32>
      %57 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %58 = "stablehlo.add"(%arg19, %57) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg15, %arg16, %arg17, %arg18, %58, %55#0, %55#1, %56) : (tensor<10x8x16xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<i32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<10x8x16xf32>) -> ()
    }) : (tensor<10x8x16xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<i32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<10x8x16xf32>) -> (tensor<10x8x16xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<i32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<10x8x16xf32>)
    "func.return"(%53#7) : (tensor<10x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<10x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<10x8x16xf32>, %arg10: tensor<i32>):
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %46 = "stablehlo.dynamic_slice"(%arg9, %arg10, %44, %45) <{slice_sizes = array<i64: 1, 8, 16>}> : (tensor<10x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %47 = "stablehlo.reshape"(%46) : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%47) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>), res_attrs = [{}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x64xf32>, %arg4: tensor<16x64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<8x16xf32>):
    %4 = "stablehlo.dot_general"(%arg8, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
    %5 = "stablehlo.dot_general"(%arg6, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
    %6 = "stablehlo.add"(%4, %5) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
    %7 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<1x64xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x64xf32>) -> tensor<8x64xf32>
    %9 = "stablehlo.add"(%6, %8) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
    %10 = "stablehlo.slice"(%9) <{limit_indices = array<i64: 8, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x64xf32>) -> tensor<8x16xf32>
    %11 = "stablehlo.slice"(%9) <{limit_indices = array<i64: 8, 32>, start_indices = array<i64: 0, 16>, strides = array<i64: 1, 1>}> : (tensor<8x64xf32>) -> tensor<8x16xf32>
    %12 = "stablehlo.slice"(%9) <{limit_indices = array<i64: 8, 48>, start_indices = array<i64: 0, 32>, strides = array<i64: 1, 1>}> : (tensor<8x64xf32>) -> tensor<8x16xf32>
    %13 = "stablehlo.slice"(%9) <{limit_indices = array<i64: 8, 64>, start_indices = array<i64: 0, 48>, strides = array<i64: 1, 1>}> : (tensor<8x64xf32>) -> tensor<8x16xf32>
    %14 = "stablehlo.negate"(%12) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %15 = "stablehlo.exponential"(%14) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %16 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %18 = "stablehlo.add"(%17, %15) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %19 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %21 = "stablehlo.divide"(%20, %18) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %22 = "stablehlo.multiply"(%21, %arg7) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %23 = "stablehlo.negate"(%10) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %24 = "stablehlo.exponential"(%23) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %25 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %27 = "stablehlo.add"(%26, %24) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %28 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %30 = "stablehlo.divide"(%29, %27) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %31 = "stablehlo.tanh"(%11) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %32 = "stablehlo.multiply"(%30, %31) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %33 = "stablehlo.add"(%22, %32) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %34 = "stablehlo.negate"(%13) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %35 = "stablehlo.exponential"(%34) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %36 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %38 = "stablehlo.add"(%37, %35) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %39 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %41 = "stablehlo.divide"(%40, %38) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %42 = "stablehlo.tanh"(%33) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %43 = "stablehlo.multiply"(%41, %42) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%43, %33, %43) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<10x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<10x8x16xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<10x8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2) : (tensor<10x8x16xf32>, tensor<1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10x8x16xf32>
    "func.return"(%3) : (tensor<10x8x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
