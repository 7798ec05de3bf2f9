#if !canImport(Darwin)
/// Processes that inherited an environment variable, including those in other process groups.
package enum MarkedProcesses {
  /// Maximum passes, because processes may start while others are killed.
  private static let mostLooks = 20
  /// Pause between passes, because killed processes take a moment to exit.
  private static let pauseMicroseconds: UInt32 = 5000

  /// Kills this user's processes that have the variable with that value, until none is left.
  package static func end(_ variable: String, _ value: String) {
    let mark = Array("\(variable)=\(value)".utf8)
    for _ in 0..<mostLooks {
      let found = all(mark)
      if found.isEmpty { return }
      for process in found { _ = kill(process, SIGKILL) }
      usleep(pauseMicroseconds)
    }
  }

  private static func all(_ mark: [UInt8]) -> [pid_t] {
    let numbers = ((try? Folder.names(in: "/proc")) ?? []).compactMap { pid_t($0) }
    return numbers.filter { $0 != getpid() && has(mark, $0) }
  }

  /// Bytes of a process's environment that are read.
  private static let mostBytes = 2 * 1024 * 1024

  /// Whether the initial environment has the mark; false for ended processes.
  private static func has(_ mark: [UInt8], _ process: pid_t) -> Bool {
    let variables = (try? DurableFile.start(of: "/proc/\(process)/environ", mostBytes)) ?? nil
    return variables?.split(separator: 0).contains { $0.elementsEqual(mark) } == true
  }
}
#endif
