import Foundation
import SeedPublisher
import SeedSystem
import Support
import Testing

@Suite struct OriginAlarmTests {
  @Test func `the pause after a step is as long as the step, up to the check interval`() {
    func rest(_ step: Int, _ check: Int) -> Duration {
      OriginAlarm.leastRest(after: .milliseconds(step), every: .milliseconds(check))
    }
    #expect(rest(1, 2000) == .milliseconds(1000))
    #expect(rest(1500, 2000) == .milliseconds(1500))
    #expect(rest(60_000, 2000) == .milliseconds(2000))
    #expect(rest(1, 100) == .milliseconds(100))
  }

  @Test func `an alarm during the minimum pause ends the pause with it`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let path = folder("o.sqlite")
    let file = try File(path, for: .replacing)
    let alarm = OriginAlarm(path)
    alarm.watch()
    for _ in 0..<3 {
      try file.write([1])
      await alarm.rest(atLeast: .milliseconds(20), atMost: .seconds(3600))
    }
    // Cancellation ends the pause, too.
    let rest = Task { await alarm.rest(atLeast: .milliseconds(1), atMost: .seconds(3600)) }
    rest.cancel()
    await rest.value
  }

  @Test func `a write to the file to which a link was redirected ends the pause`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let path = folder("o.sqlite")
    let alarm = OriginAlarm(path)
    for name in ["a", "b"] {
      let file = try File(folder(name), for: .replacing)
      unlink(path)
      #expect(symlink(name, path) == 0)
      alarm.watch()
      try file.write([1])
      await alarm.rest(atLeast: .milliseconds(20), atMost: .seconds(3600))
    }
  }
}
