import Support
import Testing

/// An app that is tested as anyone's would be, by what its developers are given for that.
@Suite(.serialized, .full) struct SecondAppTests {
  @Test func `its own tests pass, with what is public alone`() throws {
    let sample = "\(Readme.package)/Tests/EndToEndTests/SecondApp"
    let output = try OutsidePackage(sample, program: "departures-board").test()
    #expect(output.contains("Test run with 4 tests in 1 suite passed"), "\(output)")
  }
}
