// SeedServer
