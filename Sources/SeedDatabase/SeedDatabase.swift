// SeedDatabase
