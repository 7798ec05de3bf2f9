import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct QueryErrorTests {
  @Test(
    arguments: [
      (1, .query), (8, .query), (25, .query), (11, .damaged), (26, .damaged), (5, .io), (10 | 1 << 8, .io),
      (14, .io), (3, .io), (8 | 5 << 8, .io), (13, .insufficientSpace),
    ] as [(Int32, SeedError.Code)])
  func `a failed query is the app's fault unless a file, a disk or another connection caused it`(
    _ code: Int32, _ expected: SeedError.Code
  ) {
    let error = SeedError(ofQuery: DatabaseError(code: code, message: "no", subject: "SELECT 1"))
    #expect(error.code == expected && error.isRetryable == (expected != .query))
  }

  @Test func `invalid text is the app's fault because the app may have created it`() {
    #expect(SeedError(ofQuery: InvalidText(column: "name")).code == .query)
  }
}
