// SeedClient
