"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}], function_type = (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<8x64xf32>, %arg10: tensor<64xf32>):
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "func.call"(%arg9, %9) <{callee = @_pad}> : (tensor<8x64xf32>, tensor<i32>) -> tensor<8x128xf32>
    %11 = "func.call"(%10) <{callee = @fft}> : (tensor<8x128xf32>) -> tensor<8x65xcomplex<f32>>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13 = "func.call"(%arg10, %12) <{callee = @_pad_0}> : (tensor<64xf32>, tensor<i32>) -> tensor<128xf32>
    %14 = "func.call"(%13) <{callee = @fft_1}> : (tensor<128xf32>) -> tensor<65xcomplex<f32>>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 1>}> : (tensor<65xcomplex<f32>>) -> tensor<1x65xcomplex<f32>>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x65xcomplex<f32>>) -> tensor<8x65xcomplex<f32>>
    %17 = "stablehlo.multiply"(%11, %16) : (tensor<8x65xcomplex<f32>>, tensor<8x65xcomplex<f32>>) -> tensor<8x65xcomplex<f32>>
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %19 = "func.call"(%17, %18) <{callee = @_pad_2}> : (tensor<8x65xcomplex<f32>>, tensor<i32>) -> tensor<8x65xcomplex<f32>>
    %20 = "func.call"(%19) <{callee = @fft_3}> : (tensor<8x65xcomplex<f32>>) -> tensor<8x128xf32>
    %21 = "stablehlo.slice"(%20) <{limit_indices = array<i64: 8, 64>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x128xf32>) -> tensor<8x64xf32>
    "func.return"(%21) : (tensor<8x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x64xf32>, tensor<i32>) -> tensor<8x128xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8x64xf32>, %arg8: tensor<i32>):
    %7 = "stablehlo.convert"(%arg8) : (tensor<i32>) -> tensor<f32>
    %8 = "stablehlo.pad"(%arg7, %7) <{edge_padding_high = array<i64: 0, 64>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x128xf32>
    "func.return"(%8) : (tensor<8x128xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x128xf32>) -> tensor<8x65xcomplex<f32>>, res_attrs = [{}], sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<8x128xf32>):
    %6 = "stablehlo.fft"(%arg6) <{fft_length = array<i64: 128>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<8x128xf32>) -> tensor<8x65xcomplex<f32>>
    "func.return"(%6) : (tensor<8x65xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<64xf32>, tensor<i32>) -> tensor<128xf32>, res_attrs = [{}], sym_name = "_pad_0", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<64xf32>, %arg5: tensor<i32>):
    %4 = "stablehlo.convert"(%arg5) : (tensor<i32>) -> tensor<f32>
    %5 = "stablehlo.pad"(%arg4, %4) <{edge_padding_high = array<i64: 64>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<64xf32>, tensor<f32>) -> tensor<128xf32>
    "func.return"(%5) : (tensor<128xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<128xf32>) -> tensor<65xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_1", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<128xf32>):
    %3 = "stablehlo.fft"(%arg3) <{fft_length = array<i64: 128>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<128xf32>) -> tensor<65xcomplex<f32>>
    "func.return"(%3) : (tensor<65xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x65xcomplex<f32>>, tensor<i32>) -> tensor<8x65xcomplex<f32>>, res_attrs = [{}], sym_name = "_pad_2", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<8x65xcomplex<f32>>, %arg2: tensor<i32>):
    %1 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<complex<f32>>
    %2 = "stablehlo.pad"(%arg1, %1) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<8x65xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8x65xcomplex<f32>>
    "func.return"(%2) : (tensor<8x65xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x65xcomplex<f32>>) -> tensor<8x128xf32>, res_attrs = [{}], sym_name = "fft_3", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x65xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 128>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<8x65xcomplex<f32>>) -> tensor<8x128xf32>
    "func.return"(%0) : (tensor<8x128xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
