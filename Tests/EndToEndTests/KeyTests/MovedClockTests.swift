import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

@Suite struct MovedClockTests {
  private static let months = 18

  @Test(.full, arguments: [true, false])
  func `weekly steps for a year and a half never lock a client out`(_ hasKeys: Bool) throws {
    let scene = try KeyScene()
    if hasKeys { try scene.shell("cp \"$ROOT_A\"/* \"$ROOT_B\"/* \"$TARGETS\"/* seedbank/keys") }
    for day in stride(from: 7, through: Self.months * 30, by: 7) {
      scene.days = day
      if !hasKeys, [147, 294, 441].contains(day) { try scene.type("Renew root and targets") }
      try scene.publish()
      if Stage.isDeep || day % 28 == 0 { try scene.earlyClientsFollow() }
    }
    try scene.follow(("late", KeyScene.shippedRoot))
    #expect(try scene.shop("late") == "change 77\n")
    #expect(try scene.publication.published().root.version == 1 + (hasKeys ? 1 : 3))
  }

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
