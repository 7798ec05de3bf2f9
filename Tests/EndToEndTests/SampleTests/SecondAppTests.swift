import Support
import Testing

/// An app that is tested with the public test library.
@Suite(.serialized, .full) struct SecondAppTests {
  @Test func `the second app's tests pass with the public interface`() throws {
    let sample = "\(Readme.package)/Examples/departures"
    let output = try OutsidePackage(sample, program: "departures-board").test()
    #expect(output.contains("Test run with 4 tests in 1 suite passed"), "\(output)")
  }
}
