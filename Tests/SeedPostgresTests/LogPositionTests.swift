import SeedFormat
import SeedServer
import Support
import Testing

@testable import SeedPostgres

/// Two states of a database, and what the later look at one may conclude.
@Suite struct LogPositionTests {
  private func position(
    system: String = "1", database: String = "2", timeline: Int = 1, isStandby: Bool = false,
    start: String = "s",
    snapshot: String = "10:12:11", reached: UInt64 = 100, definitions: String = "d"
  ) throws -> LogPosition {
    let seen = try #require(LogSnapshot(snapshot))
    return LogPosition(
      system: system, database: database, timeline: timeline, isStandby: isStandby,
      start: isStandby ? "" : start,
      snapshot: isStandby ? seen.collapsed : seen, ceiling: seen.ceiling, reached: reached,
      definitions: definitions, relations: "r")
  }

  @Test func `a primary follows itself, and anything else about it is a doubt`() throws {
    let older = try position()
    func relation(_ newer: LogPosition) -> LogPosition.Relation {
      newer.relation(to: older, replayedBefore: nil)
    }
    #expect(relation(older) == .follows)
    #expect(relation(try position(system: "9")) == .doubt(.otherDatabase))
    #expect(relation(try position(database: "9")) == .doubt(.otherDatabase))
    #expect(relation(try position(timeline: 2)) == .doubt(.otherTimeline))
    #expect(relation(try position(timeline: 0)) == .doubt(.otherTimeline))
    #expect(relation(try position(start: "t")) == .doubt(.otherServer))
    #expect(relation(try position(definitions: "e")) == .doubt(.otherSchema))
  }

  @Test func `a standby has all where the log had come as far, or where nothing older is in progress`() throws
  {
    let older = try position(isStandby: true)
    func relation(_ snapshot: String, _ replayed: UInt64, timeline: Int = 1) throws -> LogPosition.Relation {
      try position(timeline: timeline, isStandby: true, snapshot: snapshot).relation(
        to: older, replayedBefore: replayed)
    }
    #expect(try relation("10:12:", 100) == .follows)
    #expect(try relation("10:12:", 99) == .isBehind)
    #expect(try relation("12:14:", 0) == .follows)
    #expect(try relation("11:14:", 0) == .isBehind)
    #expect(try relation("12:14:", 200, timeline: 0) == .isBehind)
    #expect(try relation("10:12:", 0, timeline: 2) == .doubt(.otherTimeline))
    #expect(try position().relation(to: older, replayedBefore: nil) == .doubt(.otherServer))
    #expect(
      try position(isStandby: true, reached: 1).relation(to: position(), replayedBefore: 99) == .isBehind)
  }

  @Test func `a position is read as it was written, and a snapshot that is none is refused`() throws {
    for one in [try position(), try position(isStandby: true)] {
      #expect(LogPosition(.object(one.members)) == one)
    }
    #expect(LogSnapshot("10:12") == nil && LogSnapshot("x:12:") == nil)
    #expect(LogSnapshot("903:909:903,905")?.collapsed.text == "903:903:")
    #expect(LogPosition.place("1/A0") == 0x1_0000_00A0 && LogPosition.place("x") == nil)
  }
}
