import SeedFormat
import Support
import Testing

@Suite struct NamesTests {
  @Test(arguments: ["transit", "a", "my-shop2"])
  func `a dataset name is lower-case ASCII`(_ text: String) throws {
    #expect(try DatasetName(text).text == text)
  }

  @Test(arguments: [
    "", "Transit", "2x", "-a", "a-", "a b", "é", "a/b", "..", String(repeating: "a", count: 49),
  ])
  func `a name that could leave its folder or URL is rejected`(_ text: String) {
    #expect(throws: InvalidName.self) { try DatasetName(text) }
  }

  @Test(arguments: ["2", "2.", ".1", "02.1", "2.01", "2.1.0", "+2.1", "2.1000", "0.1", "2,1", "２.1", " 2.1"])
  func `a model version is two plain decimals`(_ text: String) {
    #expect(throws: InvalidName.self) { try ModelVersion(text) }
  }

  @Test func `a file opens only for clients of the same or an older minor`() throws {
    let file: ModelVersion = "2.1"
    #expect(file.opens(for: "2.1") && file.opens(for: "2.0"))
    #expect(!file.opens(for: "2.2") && !file.opens(for: "1.0") && !file.opens(for: "3.0"))
    #expect(file.userVersion == 2001)
  }

  @Test(arguments: ["0", "-1", "01", "1.0", "9007199254740992", "", "1 "])
  func `a version is a whole number from 1`(_ text: String) {
    #expect(throws: InvalidName.self) { try SeedVersion(text) }
  }

  @Test func `a digest is read back from its hexadecimal digits`() throws {
    let digest = try SHA256Digest(bytes: (0..<32).map { UInt8($0 * 7 % 256) })
    #expect(try SHA256Digest(hex: digest.hex) == digest)
    #expect(throws: InvalidName.self) { try SHA256Digest(hex: digest.hex.uppercased()) }
    #expect(throws: InvalidName.self) { try SHA256Digest(hex: String(digest.hex.dropLast(2))) }
  }

  @Test func `a hyphen in a dataset's name does not make its role's name ambiguous`() throws {
    #expect(try SeedSeries("a-2", major: 3).roleName == "a-2-3")
    #expect(try SeedSeries("a", major: 2).description == "a/2")
  }
}
