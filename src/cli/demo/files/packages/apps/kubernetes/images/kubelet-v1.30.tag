registry.example/shop/kubelet:v1.30-%TAG%@%sha256:kubelet-1.30%
