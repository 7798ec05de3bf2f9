import Foundation
import SeedDatabase
import SeedFormat
import SeedServer
import SeedTrust
import Support
import Testing

/// A step that remembers a notice, or forgets one, dies, or its disk fails, at any file operation: nothing is told never.
@Suite(.serialized) struct NoticeFaultTests {
  /// Operations of the step that an ordinary run tries for each fault; a deep run tries all of them.
  static let sample = 4
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]
  /// Those of the memory are tried in every run.
  private static let memory = "notices.json"

  private let folder: TemporaryFolder
  private let injector: FaultInjector
  private let series: Series

  init() throws {
    (folder, injector) = (try TemporaryFolder(inMemory: true), try FaultInjector())
    series = try Series("my", major: 1)
    try Tool.sqlite(
      folder("my.sqlite"), "CREATE TABLE shop(id INTEGER PRIMARY KEY); INSERT INTO shop VALUES (1), (2)")
    for arguments in [["init", "my.sqlite"], Self.regenerate] {
      try SeedbankBinary.succeed(arguments, in: folder.path)
    }
    // Its program meets no faults, and appends a line in one write.
    let tell = ["/usr/bin/env", "-u", "LD_PRELOAD", "/bin/sh", "-c", "/bin/cat >> '\(folder("told"))'"]
    let file = folder("seedbank/seedbank.json")
    let on = JSONValue.object([JSONMember("failed", JSONValue(strings: tell))])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try "{\"on\": \(on.text), \(text.drop { $0 != "{" }.dropFirst())"
      .write(toFile: file, atomically: true, encoding: .utf8)
  }

  private func takeOriginAway() throws { try Tool.run(["mv", folder("my.sqlite"), folder("away.sqlite")]) }

  private func bringOriginBack() throws { try Tool.run(["mv", folder("away.sqlite"), folder("my.sqlite")]) }

  private func save() throws { try Tool.run(["cp", "-a", folder("seedbank"), folder("before")]) }

  private func restore() throws {
    try Tool.run(["rm", "-rf", folder("seedbank"), folder("told")])
    try Tool.run(["cp", "-a", folder("before"), folder("seedbank")])
  }

  private func regenerate(_ status: Int32) throws {
    let outcome = try SeedbankBinary.run(Self.regenerate, in: folder.path)
    #expect(outcome.status == status, "\(outcome.errors)")
  }

  /// How often the program was told something.
  private var told: Int {
    let text = (try? String(contentsOfFile: folder("told"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").count
  }

  private func failEverywhere(
    status: Int32, _ expect: (_ fault: FaultInjector.Fault, _ what: String) throws -> Void
  ) throws {
    let publication = PublicationDirectory(folder("seedbank/publication"))
    for word in [nil, Self.memory] {
      try restore()
      let count = try injector.count(Self.regenerate, on: word, status: status, in: folder.path)
      #expect(count > (word == nil ? 10 : 3))
      for fault in FaultInjector.Fault.allCases {
        for point in FaultInjector.points(count, sample: word == nil ? Self.sample : count) {
          try restore()
          let outcome = try injector.run(Self.regenerate, fault, at: point, on: word, in: folder.path)
          try expect(fault, "\(fault) at \(point) of \(count) on \(word ?? "all"): \(outcome.errors)")
          #expect(try PublicationProbe(publication: publication).head(series)?.version == 1)
        }
      }
    }
  }

  @Test func `a failure is told once or twice, never not at all, whatever fails while it is remembered`()
    throws
  {
    try takeOriginAway()
    try save()
    try failEverywhere(status: 69) { fault, what in
      // A disk that fails may be another failure, which is told by itself.
      let isOther = fault != .kill && !what.contains("no origin database")
      for _ in 0..<2 { try regenerate(69) }
      #expect((1...(isOther ? 3 : 2)).contains(told), "\(told): \(what)")
      let before = told
      try regenerate(69)
      #expect(told == before, "\(what): what was told is remembered")
    }
  }

  @Test
  func `a failure that comes again after a success is told again, whatever fails while it is forgotten`()
    throws
  {
    try takeOriginAway()
    try regenerate(69)
    #expect(told == 1)
    try bringOriginBack()
    try save()
    try failEverywhere(status: 0) { fault, what in
      // Who was killed at it, or has no room at all, may not have forgotten it; the next success has.
      if fault == .kill || fault == .diskStaysFull { try regenerate(0) }
      let before = told
      try takeOriginAway()
      try regenerate(69)
      try bringOriginBack()
      #expect(told == before + 1, "\(what)")
    }
  }
}
