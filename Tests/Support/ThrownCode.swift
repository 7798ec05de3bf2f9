package import SeedClient

/// The code of the error that `body` throws.
package func code(_ body: () async throws -> Void) async -> SeedError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SeedError)?.code
  }
}
