func.func @main(%x: tensor<8x2xf32>, %i: tensor<4x1xi32>, %img: tensor<1x4x4x2xf8E4M3FN>, %k: tensor<2x2x2x3xf8E4M3FN>) -> tensor<8x2xf32> {
  %2 = stablehlo.convolution(%img, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, index_vector_dim = 1 : i64} : (tensor<1x4x4x2xf8E4M3FN>, tensor<2x2x2x3xf8E4M3FN>) -> tensor<1x4x4x3xf32>
  %1 = "stablehlo.scatter"(%x, %i, %0) <<8x1xf32>> (tensor<8x2xf32>, tensor<8x1xi32>) : () -> tensor<8x2xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<8x2xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  %v, %n = chlo.top_k(%x, k = 1) : tensor<8x2xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
  %v, %n = chlo.top_k(%x, k = 1) : tensor<8x2xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
  return %1 : tensor<sdy.mesh @m = <["x"=2, "y"=4]>
>
}
{-#
    }
    builtin: {
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
    }
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  }
#-}
