#if !canImport(Darwin)
/// Processes that got a variable from whoever started the first of them: also those that left its group for one of their own.
package enum MarkedProcesses {
  /// Looks for processes that are started while others are ended, at most.
  private static let mostLooks = 20
  /// Between two looks: what was ended takes a moment to go.
  private static let pauseMicroseconds: UInt32 = 5000

  /// Ends this user's processes that have the variable with that value, until there are none.
  package static func end(_ variable: String, _ value: String) {
    let mark = Array("\(variable)=\(value)".utf8)
    for _ in 0..<mostLooks {
      let found = all(mark)
      if found.isEmpty { return }
      for process in found { _ = kill(process, SIGKILL) }
      usleep(pauseMicroseconds)
    }
  }

  /// The numbers of processes other than this one whose variables have the mark.
  private static func all(_ mark: [UInt8]) -> [pid_t] {
    let numbers = ((try? Folder.names(in: "/proc")) ?? []).compactMap { pid_t($0) }
    return numbers.filter { $0 != getpid() && has(mark, $0) }
  }

  /// Bytes of a process's variables that are looked at.
  private static let mostBytes = 2 * 1024 * 1024

  /// Whether the variables that it began with have the mark; one that has ended has none.
  private static func has(_ mark: [UInt8], _ process: pid_t) -> Bool {
    let variables = (try? DurableFile.start(of: "/proc/\(process)/environ", mostBytes)) ?? nil
    return variables?.split(separator: 0).contains { $0.elementsEqual(mark) } == true
  }
}
#endif
