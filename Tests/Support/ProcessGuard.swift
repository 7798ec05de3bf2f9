#if os(Linux)
import Foundation
import SeedSystem

/// Kills the process groups of programs of interrupted tests.
///
/// A shell reads the process ids from a pipe, which closes when the tests' process ends in any way; the shell then
/// kills programs that still run.
final class ProcessGuard: Sendable {
  static let shared = ProcessGuard()
  private let input: Int32

  private static let script = """
    while read -r sign number; do
      case $sign in
        +) running="$running $number " ;;
        -) running="${running%% $number *}${running#* $number }" ;;
      esac
    done
    for number in $running; do kill -KILL -- "-$number" 2>/dev/null; done
    """

  private init() {
    signal(SIGPIPE, SIG_IGN)
    guard let pipe = try? Spawn.pipe(to: "sh") else {
      fatalError("no descriptor is left for the tests' guard")
    }
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { [pipe.read, nothing].forEach { close($0) } }
    let shell = try? Spawn.start(
      ["/bin/sh", "-c", Self.script], environment: [:], input: pipe.read, output: nothing, errors: nothing)
    precondition(shell != nil, "the tests' guard did not start")
    input = pipe.write
  }

  func add(_ number: pid_t) { tell("+ \(number)\n") }
  func remove(_ number: pid_t) { tell("- \(number)\n") }

  /// A line is short enough for an atomic write to a pipe.
  private func tell(_ line: String) { _ = line.withCString { write(input, $0, strlen($0)) } }
}
#endif
