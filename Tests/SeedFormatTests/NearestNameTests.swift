import SeedFormat
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("datset", "dataset"), ("dtaaset", "dataset"), ("dataset", "dataset"), ("datasets", "dataset"),
    ("DATASET", "dataset"), ("dat", "dataset"), ("prot", "port"), ("config-file", nil), ("zzz", nil),
    ("", nil),
  ])
  func `a typo finds the nearest name, an unrelated word none`(typed: String, nearest: String?) {
    #expect(nearestName(to: typed, in: ["dataset", "port", "config"]) == nearest)
  }

  @Test(arguments: [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3)])
  func `the edit distance counts single slips`(left: String, right: String, distance: Int) {
    #expect(editDistance(Array(left), Array(right)) == distance)
  }

  @Test func `a very long word costs no time`() {
    #expect(nearestName(to: String(repeating: "a", count: 1_000_000), in: ["dataset"]) == nil)
  }
}
