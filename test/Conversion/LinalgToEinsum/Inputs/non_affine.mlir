#map = affine_map<(i, j) -> (i * j)>
