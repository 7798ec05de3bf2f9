import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedHTTP

@Suite struct DescriptorBudgetTests {
  @Test func `the requested connections are granted as far as the hard limit allows`() throws {
    let budget = try #require(DescriptorBudget(connections: 4000, hardLimit: 1_048_576))
    #expect(budget.connections == 4000 && budget.descriptors == DescriptorBudget.needed(for: 4000))
    for hard in [800, 1024, 4096, 8191, 65_536] {
      let budget = try #require(DescriptorBudget(connections: 1_000_000, hardLimit: hard))
      #expect(budget.descriptors <= hard)
      #expect(budget.descriptors == ResponseCache.limit + DescriptorBudget.others + 2 * budget.connections)
      #expect(budget.descriptors + 2 > hard, "one more would not fit")
    }
  }

  @Test func `a limit without room for one connection is an error with the required number`() {
    #expect(DescriptorBudget(connections: 4000, hardLimit: DescriptorBudget.fixed + 1) == nil)
    #expect(DescriptorBudget(connections: 1, hardLimit: DescriptorBudget.fixed + 2)?.connections == 1)
    #expect(HTTPServerError.tooFewDescriptors(needed: 8768).description.contains("8768"))
  }

  @Test func `a start raises the soft limit and never lowers it`() throws {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    let budget = try #require(DescriptorBudget.claim(connections: 100))
    var after = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &after)
    #expect(after.rlim_cur == max(before.rlim_cur, rlim_t(budget.descriptors)))
    #expect(after.rlim_max == before.rlim_max)
  }
}
