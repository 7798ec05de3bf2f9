// SeedHTTP
