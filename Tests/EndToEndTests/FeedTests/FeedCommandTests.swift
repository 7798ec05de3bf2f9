import Foundation
import SeedFormat
import Support
import Testing

/// Programs that fill a feed's folder.
@Suite(.bounded) struct FeedCommandTests {
  let feed: FeedDeployment

  init() throws { feed = try FeedDeployment() }

  /// The origin becomes a script beside the dataset's configuration.
  private func fetch(_ script: String, _ members: String = "") throws {
    let path = feed.folder("seedbank/my/fetch.sh")
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try Tool.run(["chmod", "+x", path])
    let file = feed.folder("seedbank/my/dataset.json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing(
      #/"origin": \{[^}]*\}+/#, with: #""origin": {"command": ["./fetch.sh", "x"]\#(members)}"#
    )
    .write(toFile: file, atomically: false, encoding: .utf8)
  }

  private var copy: String { "cp '\(feed.folder("feed"))'/*.txt ." }

  @Test func `a program fills an empty folder, and what it filled last is there for it`() throws {
    try fetch("\(copy); echo \"$SEEDBANK_FEED|$PWD|$SEEDBANK_LAST_FEED|$1\" >> '\(feed.folder("told"))'")
    #expect(try feed.refusal() == "published")
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 1)
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 2)
    let told = try String(contentsOfFile: feed.folder("told"), encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(told.count == 3)
    #expect(told.allSatisfy { $0[0] == $0[1] && $0[3] == "x" })
    #expect(told[0][2].isEmpty && told[1][2] == told[0][0] && told[2][2] == told[1][0])
    let folders = try FileManager.default.contentsOfDirectory(atPath: feed.folder("seedbank/state/feeds/my"))
    #expect(folders.filter { $0.hasPrefix("filled-") }.count == 1, "\(folders)")
  }

  @Test func `a program that fails publishes nothing, and its output is kept`() throws {
    try fetch(copy)
    #expect(try feed.refusal() == "published")
    try feed.write("stop_id,stop_name\n", "stops.txt")
    try fetch("\(copy); echo 'no such host' >&2; exit 7")
    let message = try feed.refusal()
    #expect(
      message.contains("fetch.sh ended with 7, so nothing new is published; it said: no such host"),
      "\(message)")
    #expect(try feed.version == 1)
    #expect(
      try String(contentsOfFile: feed.folder("seedbank/state/feeds/my/command.log"), encoding: .utf8)
        == "no such host\n")
    try fetch("\(copy); kill -9 $$")
    #expect(try feed.refusal().contains("was ended by the signal 9"))
    try Tool.run(["rm", feed.folder("seedbank/my/fetch.sh")])
    #expect(try feed.refusal().contains("ended with 127"))
    #expect(try feed.rows("SELECT count(*) FROM stops") == ["2"])
  }

  @Test func `a program that hangs is ended with what it started, and megabytes of output are bounded`()
    throws
  {
    try fetch("\(copy); sleep 1000 & echo $! > '\(feed.folder("child"))'; wait", #", "timeoutSeconds": 1"#)
    #expect(try feed.refusal().contains("took longer than origin.timeoutSeconds"))
    let child = try String(contentsOfFile: feed.folder("child"), encoding: .utf8).split(separator: "\n")[0]
    try eventually("the child is gone") { kill(Int32(child)!, 0) != 0 ? true : nil }
    try fetch("\(copy); head -c 20000000 /dev/zero | tr '\\0' x")
    #expect(try feed.refusal() == "published")
    let log = try FileManager.default.attributesOfItem(
      atPath: feed.folder("seedbank/state/feeds/my/command.log"))
    #expect((log[.size] as? Int ?? 0) < 1_000_000)
  }

  @Test func `keys are none of a program's business`() throws {
    try fetch("\(copy); env > '\(feed.folder("told"))'")
    let outcome = try SeedbankBinary.run(
      ["regenerate"],
      environment: [
        "SEEDBANK_TIMESTAMP_KEY_FILE": feed.folder("seedbank/keys/timestamp.key"), "PATH": "/usr/bin:/bin",
        "HOME": "/nowhere",
      ],
      in: feed.folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let told = try String(contentsOfFile: feed.folder("told"), encoding: .utf8)
    #expect(told.contains("HOME=/nowhere") && !told.contains("KEY"), "\(told)")
  }

  @Test func `a running publisher starts its program when it is time, and a check starts none`() throws {
    try fetch("\(copy); echo x >> '\(feed.folder("told"))'", #", "everySeconds": 1"#)
    let check = try SeedbankBinary.run(["config", "check"], in: feed.folder.path)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(!FileManager.default.fileExists(atPath: feed.folder("told")))
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: feed.folder.path,
      environment: ["SEEDBANK_DATASETS_MY_SCHEDULE_CHECK_SECONDS": "1", "PATH": "/usr/bin:/bin"])
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    try eventually("the new row is published") { try feed.version >= 2 ? true : nil }
    _ = server
  }
}
