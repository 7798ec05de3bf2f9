import Foundation
import SeedFormat
import Support
import Testing

@Suite struct FeedCommandTests {
  let feed: FeedDeployment

  init() throws { feed = try FeedDeployment() }

  /// Makes a script in the dataset's folder the origin.
  private func fetch(_ script: String, _ members: String = "", argument: String = "x") throws {
    let path = feed.folder("seedbank/my/fetch.sh")
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try Tool.run(["chmod", "+x", path])
    let file = feed.folder("seedbank/my/dataset.json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing(
      #/"origin": \{[^}]*\}+/#, with: #""origin": {"command": ["./fetch.sh", "\#(argument)"]\#(members)}"#
    )
    .write(toFile: file, atomically: false, encoding: .utf8)
  }

  private var copy: String { "cp '\(feed.folder("feed"))'/*.txt ." }

  @Test func `a program gets an empty folder and the path of the last one it filled with equal arguments`()
    throws
  {
    let script = "\(copy); echo \"$SEEDBANK_FEED|$PWD|$SEEDBANK_LAST_FEED|$1\" >> '\(feed.folder("told"))'"
    try fetch(script)
    #expect(try feed.refusal() == "published")
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 1)
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 2)
    try fetch(script, argument: "y")
    #expect(try feed.refusal() == "published")
    let told = try feed.folder.text("told").split(separator: "\n")
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(told.map { $0[3] } == ["x", "x", "x", "y"])
    #expect(told.allSatisfy { $0[0] == $0[1] })
    #expect(told[0][2].isEmpty && told[1][2] == told[0][0] && told[2][2] == told[1][0] && told[3][2].isEmpty)
    let folders = try FileManager.default.contentsOfDirectory(atPath: feed.folder("seedbank/state/feeds/my"))
    #expect(folders.filter { $0.hasPrefix("filled-") }.count == 1, "\(folders)")
  }

  @Test func `a failed program publishes nothing, and its output is kept`() throws {
    try fetch(copy)
    #expect(try feed.refusal() == "published")
    try feed.write("stop_id,stop_name,stop_lat,zone\n", "stops.txt")
    try fetch("\(copy); echo 'no such host' >&2; exit 7")
    let message = try feed.refusal()
    #expect(
      message.contains("fetch.sh ended with 7, so nothing new is published; it said: no such host"),
      "\(message)")
    #expect(try feed.version == 1)
    #expect(try feed.folder.text("seedbank/state/feeds/my/command.log") == "no such host\n")
    try fetch("\(copy); kill -9 $$")
    #expect(try feed.refusal().contains("was ended by the signal 9"))
    try Tool.run(["rm", feed.folder("seedbank/my/fetch.sh")])
    #expect(try feed.refusal().contains("ended with 127"))
    #expect(try feed.rows("SELECT count(*) FROM stops") == ["2"])
  }

  @Test func `a program that exceeds the timeout is killed with its children`() throws {
    try fetch("sleep 1000 & echo $! > '\(feed.folder("child"))'; \(copy); wait", #", "timeoutSeconds": 3"#)
    #expect(
      try feed.refusal().contains(
        "took longer than origin.timeoutSeconds, and was ended with its process group and all processes that have"
          + " the same SEEDBANK_FEED, so nothing new is published"))
    let child = try feed.folder.text("child").split(separator: "\n")[0]
    try eventually("the child is gone") { kill(Int32(child)!, 0) != 0 ? true : nil }
  }

  @Test func `key variables are removed from a program's environment`() throws {
    try fetch("\(copy); env > '\(feed.folder("told"))'")
    try feed.folder.seedbank(
      "regenerate",
      environment: [
        "SEEDBANK_TIMESTAMP_KEY_FILE": feed.folder("seedbank/keys/timestamp.key"), "PATH": "/usr/bin:/bin",
        "HOME": "/nowhere",
      ]
    ).expect(0)
    let told = try feed.folder.text("told")
    #expect(told.contains("HOME=/nowhere") && !told.contains("KEY"), "\(told)")
  }

  @Test func `a running publisher starts its program periodically, and config check does not start it`()
    throws
  {
    try fetch("\(copy); echo x >> '\(feed.folder("told"))'", #", "everySeconds": 1"#)
    try feed.folder.seedbank("config", "check").expect(0)
    #expect(!feed.folder.exists("told"))
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: feed.folder.path,
      environment: ["SEEDBANK_DATASETS_MY_SCHEDULE_CHECK_SECONDS": "1", "PATH": "/usr/bin:/bin"])
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    try eventually("the new row is published") { try feed.version >= 2 ? true : nil }
    _ = server
  }

  @Test func `a running publisher starts a new program at once, although it has the rows of a folder`() throws
  {
    #expect(try feed.refusal() == "published")
    try fetch("\(copy); echo x >> '\(feed.folder("told"))'")
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: feed.folder.path, environment: ["PATH": "/usr/bin:/bin"])
    try eventually("the program runs") {
      feed.folder.exists("told") ? true : nil
    }
    _ = server
  }

  @Test func `the end of a program's long output is kept`() throws {
    try fetch("\(copy); head -c 2000000 /dev/zero | tr '\\0' x; echo; echo 'the last word'; exit 3")
    #expect(try feed.refusal().contains("the last word"))
    let log = try feed.folder.text("seedbank/state/feeds/my/command.log")
    #expect(log.hasSuffix("the last word\n") && log.utf8.count == 256 * 1024)
  }

  @Test func `a child process in its own session is killed with the program`() throws {
    let child = feed.folder("child")
    try fetch(
      "\(copy); setsid sh -c 'echo $$ > \(child); exec sleep 1000' & while [ ! -s '\(child)' ]; do :; done; exit 0"
    )
    #expect(try feed.refusal() == "published")
    let number = try String(contentsOfFile: child, encoding: .utf8).split(separator: "\n")[0]
    try eventually("the child is gone") { kill(Int32(number)!, 0) != 0 ? true : nil }
  }

  @Test func `config check reports a program that is missing, a folder or not executable`() throws {
    try fetch(copy)
    func check() throws -> String {
      let outcome = try feed.folder.seedbank("config", "check")
      return "\(outcome.status) \(outcome.output)\(outcome.errors)"
    }
    let program = feed.folder("seedbank/my/fetch.sh")
    try Tool.run(["chmod", "-x", program])
    #expect(try check().contains("origin.command: this user may not run \(program): chmod +x it"))
    try Tool.run(["rm", program])
    #expect(try check().contains("origin.command: there is no program \(program)"))
    try Tool.run(["mkdir", program])
    let found = try check()
    #expect(found.hasPrefix("78") && found.contains("\(program) is a folder, not a program"), "\(found)")
  }

  @Test func `config check does not wait for a running program, and status shows its interval`() throws {
    try fetch(
      "\(copy); echo x > '\(feed.folder("began"))'; while [ ! -e '\(feed.folder("go"))' ]; do sleep 0.1; done",
      #", "everySeconds": 700"#)
    let step = Thread { [folder = feed.folder.path] in
      _ = try? SeedbankBinary.run(["regenerate"], in: folder)
    }
    step.start()
    try eventually("the program runs") {
      feed.folder.exists("began") ? true : nil
    }
    try feed.folder.seedbank("config", "check").expect(0)
    #expect(try feed.version == 0)
    try Data().write(to: URL(fileURLWithPath: feed.folder("go")))
    try eventually("the first version") { try feed.version == 1 ? true : nil }
    let status = try feed.folder.succeed("status")
    #expect(status.contains("a start of origin.command every 700 seconds while"), "\(status)")
  }
}
