import Foundation
import Support
import Testing

/// Files that a command of another user left behind, such as one with sudo.
@Suite struct RightsTests {
  /// Only root may give files away.
  private static let isRoot = geteuid() == 0
  private static let asOther = [
    "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", SeedbankBinary.path,
  ]
  private static let otherCanStart = isRoot && (try? Tool.run(asOther + ["--version"])) != nil

  /// Runs the command as a user that owns everything except `file`.
  private func run(_ arguments: [String], without file: String) throws -> ProgramOutcome {
    let deployment = try OperatedDeployment()
    let path = deployment.folder("seedbank/\(file)")
    let script = "chown -R 65534:65534 .; touch \"$1\"; chmod 600 \"$1\"; chown 0:0 \"$1\""
    try Tool.run(["sh", "-ec", script, "sh", path], in: deployment.folder.path)
    try deployment.origin("UPDATE shop SET rank = 7 WHERE id = 1")
    let outcome = try TestProgram.run(
      Self.asOther + arguments, in: deployment.folder.path, within: longestWait)
    let remedy = "\(path): Permission denied; it belongs to root: run the command as that user, or 'chown "
    #expect(outcome.errors.contains(remedy), "\(outcome)")
    return outcome
  }

  @Test(.enabled(if: otherCanStart, "only root may give files away"))
  func `run refuses to start without rights to its lock`() throws {
    let outcome = try run(["run", "--port", "0"], without: "state/.run.lock")
    #expect(outcome.status == 74 && !outcome.output.contains("listening"), "\(outcome)")
  }

  @Test(.enabled(if: otherCanStart, "only root may give files away"))
  func `facts that cannot be locked are reported with the file's owner, and the step succeeds`() throws {
    try run(["regenerate"], without: "publication/.facts.lock").expect(
      0, "The facts of my could not be written")
  }

  @Test(.enabled(if: otherCanStart, "only root may give files away"))
  func `a key of another user is reported with its owner and without the advice to replace it`() throws {
    let outcome = try run(["regenerate"], without: "keys/series.key")
    #expect(outcome.status == 78 && !outcome.errors.contains("keys rotate"), "\(outcome)")
  }
}
