"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x32xf32>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %1 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %3 = "stablehlo.multiply"(%2, %0) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %4 = "stablehlo.exponential"(%3) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %5 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %6 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %8 = "stablehlo.add"(%5, %7) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %9 = "stablehlo.sqrt"(%8) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %10 = "stablehlo.multiply"(%4, %9) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %11 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %12 = "stablehlo.constant"() <{value = dense<(0.000000e+00,2.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %14 = "stablehlo.add"(%11, %13) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %15 = "stablehlo.log"(%14) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %16 = "stablehlo.add"(%10, %15) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %17 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %18 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %20 = "stablehlo.multiply"(%17, %19) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %21 = "stablehlo.tanh"(%20) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %22 = "stablehlo.subtract"(%16, %21) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %23 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %24 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %26 = "stablehlo.add"(%23, %25) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %27 = "stablehlo.real"(%26) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %28 = "stablehlo.imag"(%26) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %31 = "stablehlo.compare"(%27, %30) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %32 = "stablehlo.sine"(%27) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %33 = "stablehlo.cosine"(%27) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %34 = "stablehlo.exponential_minus_one"(%28) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %35 = "stablehlo.negate"(%28) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %36 = "stablehlo.exponential_minus_one"(%35) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %37 = "stablehlo.subtract"(%34, %36) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %38 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %40 = "stablehlo.divide"(%37, %39) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %41 = "stablehlo.add"(%34, %36) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %42 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %44 = "stablehlo.add"(%41, %43) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %45 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %47 = "stablehlo.divide"(%44, %46) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %48 = "stablehlo.multiply"(%32, %47) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %49 = "stablehlo.multiply"(%33, %40) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %50 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %52 = "stablehlo.complex"(%51, %49) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %53 = "stablehlo.complex"(%48, %49) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %54 = "stablehlo.select"(%31, %52, %53) : (tensor<16x32xi1>, tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %55 = "stablehlo.convert"(%arg0) : (tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %56 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<16x32xcomplex<f32>>
    %58 = "stablehlo.subtract"(%55, %57) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %59 = "stablehlo.real"(%58) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %60 = "stablehlo.imag"(%58) : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xf32>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %63 = "stablehlo.compare"(%59, %62) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %64 = "stablehlo.sine"(%59) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %65 = "stablehlo.cosine"(%59) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %66 = "stablehlo.exponential_minus_one"(%60) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %67 = "stablehlo.negate"(%60) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %68 = "stablehlo.exponential_minus_one"(%67) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %69 = "stablehlo.subtract"(%66, %68) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %70 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %72 = "stablehlo.divide"(%69, %71) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %73 = "stablehlo.add"(%66, %68) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %74 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %76 = "stablehlo.add"(%73, %75) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %77 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %79 = "stablehlo.divide"(%76, %78) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %80 = "stablehlo.multiply"(%65, %79) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %81 = "stablehlo.negate"(%64) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %82 = "stablehlo.multiply"(%81, %72) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %83 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %85 = "stablehlo.complex"(%80, %84) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %86 = "stablehlo.complex"(%80, %82) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xcomplex<f32>>
    %87 = "stablehlo.select"(%63, %85, %86) : (tensor<16x32xi1>, tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %88 = "stablehlo.multiply"(%54, %87) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    %89 = "stablehlo.add"(%22, %88) : (tensor<16x32xcomplex<f32>>, tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
    "func.return"(%89) : (tensor<16x32xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
