import SeedFormat
import Support
import Testing

@Suite struct ByteCountTests {
  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (19_000_000, "19.0 MB"), (3_210_000_000, "3.2 GB"), (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func `sizes are shown in the unit that fits`(_ bytes: Int, _ text: String) {
    #expect(ByteCount(bytes: bytes).description == text)
  }
}
