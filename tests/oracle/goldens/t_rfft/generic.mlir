"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<8x64xf32>) -> tensor<8x64xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<8x64xf32>):
    %2 = "func.call"(%arg2) <{callee = @fft}> : (tensor<8x64xf32>) -> tensor<8x33xcomplex<f32>>
    %3 = "stablehlo.constant"() <{value = dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<8x33xcomplex<f32>>
    %5 = "stablehlo.multiply"(%2, %4) : (tensor<8x33xcomplex<f32>>, tensor<8x33xcomplex<f32>>) -> tensor<8x33xcomplex<f32>>
    %6 = "func.call"(%5) <{callee = @fft_0}> : (tensor<8x33xcomplex<f32>>) -> tensor<8x64xf32>
    "func.return"(%6) : (tensor<8x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x64xf32>) -> tensor<8x33xcomplex<f32>>, res_attrs = [{}], sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<8x64xf32>):
    %1 = "stablehlo.fft"(%arg1) <{fft_length = array<i64: 64>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<8x64xf32>) -> tensor<8x33xcomplex<f32>>
    "func.return"(%1) : (tensor<8x33xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x33xcomplex<f32>>) -> tensor<8x64xf32>, res_attrs = [{}], sym_name = "fft_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x33xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 64>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<8x33xcomplex<f32>>) -> tensor<8x64xf32>
    "func.return"(%0) : (tensor<8x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
