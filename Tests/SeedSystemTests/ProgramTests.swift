#if os(Linux)
import Foundation
import SeedSystem
import Support
import Testing

@Suite struct ProgramTests {
  private static let starts = Stage.pick(quick: 60, full: 2_000, deep: 10_000)

  @Test func `a program inherits no descriptor even next to long-running ones`() throws {
    var pipe: [CInt] = [0, 0]
    // Without CLOEXEC, as other code in the process may open descriptors.
    #expect(Foundation.pipe(&pipe) == 0)
    defer { pipe.forEach { close($0) } }
    let lasting = try (0..<20).map { _ in try TestProgram(["sleep", "3600"], input: .pipe) }
    let listed = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: Self.starts) { _ in
      let outcome = try? TestProgram.run(["ls", "/proc/self/fd"], within: longestWait)
      // 3 is the directory that `ls` opened.
      listed.withLock { _ = $0.insert(outcome?.output ?? "nothing") }
    }
    #expect(listed.withLock(\.self) == ["0\n1\n2\n3\n"])
    withExtendedLifetime(lasting) {}
  }

  @Test func `a program that exceeds its time is killed with its children and the error has its output`()
    throws
  {
    let program = try TestProgram(["sh", "-c", "echo trouble >&2; sleep 3600 & echo $!; wait"])
    try program.waits(for: "\n")
    let failure = #expect(throws: ProgramFailure.self) { try program.wait(within: 0.1) }
    #expect(failure?.what.hasPrefix("sh -c echo trouble >&2; sleep 3600 & echo $!") == true)
    let threads = "its threads: \(program.identifier) (sh) "
    #expect(failure?.what.contains(threads) == true, "\(failure?.what ?? "")")
    #expect(failure?.output == program.output && failure?.errors == "trouble\n")
    let child = try #require(pid_t(program.output.dropLast()))
    try waitUntil("the grandchild has ended") { Self.hasEnded(child) }
  }

  @Test func `children of a program end with its owner`() throws {
    var program: TestProgram? = try TestProgram(["sh", "-c", "sleep 3600 & echo $!"])
    try program?.waits(for: "\n")
    let child = try #require(pid_t((program?.output ?? "").dropLast()))
    #expect(try program?.wait() == .exited(0))
    #expect(!Self.hasEnded(child))
    program = nil
    try waitUntil("the grandchild has ended") { Self.hasEnded(child) }
  }

  /// A zombie has ended even if its new parent has not reaped it.
  private static func hasEnded(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status.map { $0.contains("State:\tZ") } ?? true
  }

  @Test func `stop works although the starting thread blocks the signal`() throws {
    let ending = Mutex<TestProgram.Ending?>(nil)
    Thread.detachNewThread {
      var signals = sigset_t()
      sigfillset(&signals)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let found = try? TestProgram(["sleep", "3600"]).stop()
      ending.withLock { $0 = found }
    }
    try waitUntil("it has ended") { ending.withLock { $0 != nil } }
    #expect(ending.withLock(\.self) == .killed(signal: SIGTERM))
  }
}
#endif
