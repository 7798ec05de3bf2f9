// SeedTrust
