module git.example/shop/platform/api

go 1.25
