package import SeedClient

package func code(_ body: () async throws -> Void) async -> SeedError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SeedError)?.code
  }
}
