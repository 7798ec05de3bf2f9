import Foundation
import Support
import Testing

/// A user other than root and the owner of files, whom permissions stop.
enum OtherUser {
  /// Only root may give files away.
  static let isRoot = geteuid() == 0
  /// The words that run a command as the other user, or as the tests' own user if that is not root.
  static let command =
    isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
  /// Whether the build's folder is open to the user.
  static let canStart = (try? Tool.run(command + [SeedbankBinary.path, "--version"])) != nil
}

/// Files left behind by a command of another user, for example with sudo.
@Suite struct RightsTests {
  @Test(
    .enabled(if: OtherUser.isRoot && OtherUser.canStart, "only root may give files away"),
    arguments: [
      (["run", "--port", "0"], "state/.run.lock", 74, ""),
      (["regenerate"], "publication/.facts.lock", 0, "The facts of my could not be written"),
      (["regenerate"], "keys/series.key", 78, ""),
    ])
  func `a file of another user is reported with its owner and the remedy`(
    arguments: [String], file: String, status: Int32, message: String
  ) throws {
    let deployment = try OperatedDeployment()
    let path = deployment.folder("seedbank/\(file)")
    let script = "chown -R 65534:65534 .; touch \"$1\"; chmod 600 \"$1\"; chown 0:0 \"$1\""
    try Tool.run(["sh", "-ec", script, "sh", path], in: deployment.folder.path)
    try deployment.origin("UPDATE shop SET rank = 7 WHERE id = 1")
    let outcome = try TestProgram.run(
      OtherUser.command + [SeedbankBinary.path] + arguments, in: deployment.folder.path, within: longestWait)
    let remedy = "\(path): Permission denied; it belongs to root: run the command as that user, or 'chown "
    #expect(outcome.status == status && outcome.errors.contains(remedy), "\(outcome)")
    #expect(message.isEmpty || outcome.errors.contains(message), "\(outcome)")
    #expect(!outcome.output.contains("listening"), "\(outcome)")
    #expect(!outcome.errors.contains("keys rotate"), "a key that exists is not to be replaced")
  }

  @Test(.enabled(if: OtherUser.isRoot && OtherUser.canStart, "only root may give files away"))
  func `a state folder that cannot be written is named`() throws {
    let deployment = try OperatedDeployment()
    let path = deployment.folder.path
    try deployment.origin("UPDATE shop SET rank = 7 WHERE id = 1")
    try Tool.run(["sh", "-ec", "chown -R 65534:65534 .; chmod 555 seedbank/state"], in: path)
    let outcome = try TestProgram.run(
      OtherUser.command + [SeedbankBinary.path, "regenerate"], in: path, within: longestWait)
    #expect(outcome.status == 74, "\(outcome)")
    #expect(outcome.errors.contains("state/my-1.sqlite or its folder cannot be written"), "\(outcome)")
  }
}
