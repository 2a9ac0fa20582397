func.func @attention_only_64(%q: tensor<1x4x4096x64xbf16>, %k: tensor<1x4x4096x64xbf16>, %v: tensor<1x4x4096x64xbf16>) -> tensor<1x4x4096x64xbf16> {
  %a = einsum.mha %q, %k, %v : (tensor<1x4x4096x64xbf16>, tensor<1x4x4096x64xbf16>, tensor<1x4x4096x64xbf16>) -> tensor<1x4x4096x64xbf16>
  return %a : tensor<1x4x4096x64xbf16>
}
