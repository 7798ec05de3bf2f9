import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

@Suite struct MovedClockTests {
  @Test func `an operator without the keys is warned in time, and regenerate fails after expiry`() throws {
    let scene = try KeyScene()
    func regenerate(_ days: Int) throws -> (status: Int32, text: String) {
      scene.days = days
      do {
        return (0, try scene.shell("seedbank regenerate"))
      } catch let failure as Tool.Failure {
        return (failure.status, failure.output)
      }
    }
    #expect(try !regenerate(100).text.contains("expires"))
    let warned = try regenerate(125)
    #expect(warned.status == 0 && warned.text.contains("seedbank keys renew targets"), "\(warned)")
    #expect(try scene.shell("seedbank status").contains("targets: its metadata expires at"))
    let expired = try regenerate(181)
    #expect(expired.status == 78 && expired.text.contains("Clients reject the publication"), "\(expired)")
    #expect(try scene.shell("seedbank status --json").contains("no client accepts it"))
    try scene.type("Everything has expired")
    #expect(try regenerate(182).status == 0)
    try scene.everybodyFollows()
  }
}
