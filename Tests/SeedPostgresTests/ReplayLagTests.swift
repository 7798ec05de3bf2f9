import Testing

@testable import SeedPostgres

@Suite struct ReplayLagTests {
  @Test(
    arguments: [
      (["streaming", "t", "90000"], 0), (["streaming", "t", nil], 0), (["", "t", "90000"], 0),
      (["streaming", "f", "7"], 7), (["waiting", "t", "7"], 7), (["waiting", "t", nil], nil),
      (["", "f", nil], nil), (["", nil, nil], nil), ([nil, "t", "7"], 7), ([nil, nil, nil], nil),
    ] as [([String?], Int?)])
  func `only a standby that streams and has replayed exactly all is not behind`(
    _ row: [String?], _ seconds: Int?
  ) {
    #expect(ReplayLag.seconds(row) == seconds)
  }
}
