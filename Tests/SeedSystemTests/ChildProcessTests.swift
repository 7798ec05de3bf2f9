import Foundation
import SeedSystem
import Support
import Testing

@Suite struct ChildProcessTests {
  private func run(
    _ command: [String], input: String = "", outputBytes: Int = 1 << 20, environment: [String: String] = [:],
    within limit: Duration = .seconds(100)
  ) throws -> (ending: ChildProcess.Ending, output: String) {
    let child = try ChildProcess(command, environment: environment)
    let (ending, output) = child.finish(input: Array(input.utf8), outputBytes: outputBytes, within: limit)
    return (ending, String(decoding: output, as: UTF8.self))
  }

  private func shell(
    _ script: String, input: String = "", outputBytes: Int = 1 << 20, within limit: Duration = .seconds(100)
  ) throws -> (ending: ChildProcess.Ending, output: String) {
    try run(["/bin/sh", "-c", script], input: input, outputBytes: outputBytes, within: limit)
  }

  @Test func `a program reads its complete input, and its output and errors are collected`() throws {
    let text = String(repeating: "line\n", count: 100_000)
    #expect(try run(["/bin/cat"], input: text) == (.exited(0), text))
    #expect(try shell("echo a; echo b >&2; exit 3") == (.exited(3), "a\nb\n"))
    #expect(try shell("kill -9 $$") == (.killed(signal: 9), ""))
  }

  @Test func `a program may ignore its input or close its output`() throws {
    let text = String(repeating: "line\n", count: 100_000)
    #expect(try shell("exit 0", input: text).ending == .exited(0))
    #expect(try shell("exec >&- 2>&-; sleep 0.1; exit 4").ending == .exited(4))
  }

  @Test func `output beyond the limit is read and discarded`() throws {
    let (ending, output) = try shell("yes | head -c 5000000; echo end >&2; exit 1", outputBytes: 1000)
    #expect(ending == .exited(1) && output.utf8.count == 1000)
  }

  @Test func `a program that hangs is killed with all its children`() throws {
    let folder = try TemporaryFolder()
    let script = "trap '' TERM; sleep 1000 & echo $! > \(folder("child")); wait; sleep 1000"
    let program = try ChildProcess(["/bin/sh", "-c", script], environment: [:])
    let child = try eventually("it has a child") {
      let text = try? String(contentsOfFile: folder("child"), encoding: .utf8)
      return text?.hasSuffix("\n") == true ? pid_t(text!.dropLast()) : nil
    }
    #expect(program.finish(input: [], outputBytes: 0, within: .milliseconds(100)).ending == .overdue)
    try waitUntil("the child's child is gone") { Self.isGone(child) }
  }

  /// Gone, or a zombie that its new parent has not reaped.
  private static func isGone(_ process: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return status.drop { $0 != ")" }.dropFirst(2).first == "Z"
  }

  @Test func `a child that outlives its program continues`() throws {
    let folder = try TemporaryFolder()
    let (ending, _) = try shell("(sleep 0.1; echo done > \(folder("late"))) & exit 0")
    #expect(ending == .exited(0))
    try waitUntil("the rest is done") { Folder.exists(folder("late")) }
  }

  @Test func `signals ignored by this process are not ignored by a program`() throws {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGUSR1, SIG_IGN)
    #expect(try shell("kill -USR1 $$; echo survived").ending == .killed(signal: SIGUSR1))
    #expect(try shell("yes | head -n 1").output == "y\n")
    let line = try run(["/bin/grep", "SigIgn", "/proc/self/status"]).output
    let ignored = try #require(UInt64(line.split(separator: "\t").last?.prefix(16) ?? "", radix: 16))
    for number in [SIGPIPE, SIGUSR1, SIGTERM, SIGINT] { #expect(ignored >> (number - 1) & 1 == 0, "\(line)") }
    signal(SIGUSR1, SIG_DFL)
  }

  @Test func `a program gets only the given environment and no file descriptor of ours`() throws {
    let file = try File("/proc/self/status", for: .reading)
    let (_, output) = try run(["/bin/ls", "/proc/self/fd"])
    // The fourth is the directory that `ls` opened.
    #expect(output.split(separator: "\n").count == 4, "\(output)")
    withExtendedLifetime(file) {}
    #expect(try run(["/usr/bin/env"], environment: ["A": "1"]).output == "A=1\n")
  }

  @Test func `a missing program is an immediate error`() throws {
    let error = #expect(throws: FileError.self) { try ChildProcess(["/nowhere/at/all"], environment: [:]) }
    #expect(error?.isMissing == true)
    #expect(throws: FileError.self) { try ChildProcess(["/etc/passwd"], environment: [:]) }
  }

  /// The numbers of a pipe that is opened now.
  private func freeDescriptors() throws -> [Int32] {
    let pipe = try Spawn.pipe(to: "nothing")
    defer { [pipe.read, pipe.write].forEach { close($0) } }
    return [pipe.read, pipe.write]
  }

  @Test func `a program for which descriptors are lacking leaves none open`() throws {
    let free = try freeDescriptors()
    var usual = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
    // Room for one pipe of two.
    var scarce = rlimit(rlim_cur: rlim_t(free[1] + 1), rlim_max: usual.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &scarce)
    let error = #expect(throws: FileError.self) { try ChildProcess(["/bin/true"], environment: [:]) }
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
    #expect(error?.isExhausted == true)
    #expect(try freeDescriptors() == free)
  }
}
