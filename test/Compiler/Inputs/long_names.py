"""A module of two functions whose names differ at their ends alone."""

for last in "ab":
    print(f"""
func.func @{"long_" * 40}{last}(%a: tensor<?x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<?x64xbf16> {{
  %0 = attn.matmul %a, %b : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}}""")
