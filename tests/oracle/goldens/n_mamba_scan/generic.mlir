"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}], function_type = (tensor<8x16x32xf32>, tensor<32xf32>) -> tensor<16x8x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg8: tensor<8x16x32xf32>, %arg9: tensor<32xf32>):
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32xf32>
    %17 = "stablehlo.transpose"(%arg8) <{permutation = array<i64: 1, 0, 2>}> : (tensor<8x16x32xf32>) -> tensor<16x8x32xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x8x32xf32>
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21:5 = "stablehlo.while"(%17, %arg9, %20, %16, %19) ({
    ^bb0(%arg15: tensor<16x8x32xf32>, %arg16: tensor<32xf32>, %arg17: tensor<i32>, %arg18: tensor<8x32xf32>, %arg19: tensor<16x8x32xf32>):
      %27 = "stablehlo.constant"() <{value = dense<16> : tensor<i32>}> : () -> tensor<i32>
      %28 = "stablehlo.compare"(%arg17, %27) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%28) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg10: tensor<16x8x32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<i32>, %arg13: tensor<8x32xf32>, %arg14: tensor<16x8x32xf32>):
      %22 = "func.call"(%arg10, %arg12) <{callee = @dynamic_index_in_dim}> : (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %23:2 = "func.call"(%arg11, %arg13, %22) <{callee = @closed_call}> : (tensor<32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
      %24 = "func.call"(%arg14, %23#1, %arg12) <{callee = @dynamic_update_index_in_dim}> : (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>
      %25 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %26 = "stablehlo.add"(%arg12, %25) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg10, %arg11, %26, %23#0, %24) : (tensor<16x8x32xf32>, tensor<32xf32>, tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>) -> ()
    }) : (tensor<16x8x32xf32>, tensor<32xf32>, tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>) -> (tensor<16x8x32xf32>, tensor<32xf32>, tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>)
    "func.return"(%21#4) : (tensor<16x8x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<16x8x32xf32>, %arg7: tensor<i32>):
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13 = "stablehlo.dynamic_slice"(%arg6, %arg7, %11, %12) <{slice_sizes = array<i64: 1, 8, 32>}> : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
    %14 = "stablehlo.reshape"(%13) : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
    "func.return"(%14) : (tensor<8x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<32xf32>, %arg4: tensor<8x32xf32>, %arg5: tensor<8x32xf32>):
    %4 = "stablehlo.abs"(%arg3) : (tensor<32xf32>) -> tensor<32xf32>
    %5 = "stablehlo.negate"(%4) : (tensor<32xf32>) -> tensor<32xf32>
    %6 = "stablehlo.exponential"(%5) : (tensor<32xf32>) -> tensor<32xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 1>}> : (tensor<32xf32>) -> tensor<1x32xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x32xf32>) -> tensor<8x32xf32>
    %9 = "stablehlo.multiply"(%arg4, %8) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %10 = "stablehlo.add"(%9, %arg5) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    "func.return"(%10, %10) : (tensor<8x32xf32>, tensor<8x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<16x8x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x8x32xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2) : (tensor<16x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x32xf32>
    "func.return"(%3) : (tensor<16x8x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
