registry.example/shop/kubelet:v1.31-%TAG%@%sha256:kubelet-1.31%
