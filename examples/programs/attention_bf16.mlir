module @jit_attention_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xbf16>, %arg1: tensor<16x32xbf16>, %arg2: tensor<16x32xbf16>) -> (tensor<16x32xbf16> {jax.result_info = "result[0]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<16x32xbf16>) -> tensor<32x16xbf16>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<16x32xbf16>, tensor<32x16xbf16>) -> tensor<16x16xbf16>
    %2 = stablehlo.sqrt %cst_1 : tensor<f32>
    %3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<bf16>) -> tensor<16x16xbf16>
    %5 = stablehlo.divide %1, %4 : tensor<16x16xbf16>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<16x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<16xbf16>
    %8 = stablehlo.maximum %7, %6 : tensor<16xbf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<16xbf16>) -> tensor<16x1xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<16x1xbf16>) -> tensor<16x16xbf16>
    %11 = stablehlo.subtract %5, %10 : tensor<16x16xbf16>
    %12 = stablehlo.exponential %11 : tensor<16x16xbf16>
    %13 = stablehlo.convert %12 : (tensor<16x16xbf16>) -> tensor<16x16xf32>
    %14 = stablehlo.reduce(%13 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %16 = stablehlo.convert %15 : (tensor<16x1xf32>) -> tensor<16x1xbf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<16x1xbf16>) -> tensor<16x16xbf16>
    %18 = stablehlo.divide %12, %17 : tensor<16x16xbf16>
    %19 = stablehlo.dot_general %18, %arg2, contracting_dims = [1] x [0] : (tensor<16x16xbf16>, tensor<16x32xbf16>) -> tensor<16x32xbf16>
    return %19 : tensor<16x32xbf16>
  }
}
