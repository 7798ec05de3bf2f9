import Foundation

/// A process's use of the processor in ticks.
struct ProcessTimes {
  let parent: Int32
  let own: Int
  /// Ticks of its terminated children.
  let ended: Int

  init?(_ process: Int32) {
    let data = (try? FileHandle(forReadingAtPath: "/proc/\(process)/stat")?.readToEnd()) ?? Data()
    // The name before the parenthesis may contain spaces.
    let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
    let times = fields[11...14].map { Int($0) ?? 0 }
    (self.parent, own, ended) = (parent, times[0] + times[1], times[2] + times[3])
  }

  /// The processor time of a process and of its running and ended children.
  static func secondsWithChildren(_ process: Int32) -> Double {
    guard let own = ProcessTimes(process) else { return 0 }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let children = names.compactMap { Int32($0) }.compactMap(ProcessTimes.init).filter {
      $0.parent == process
    }
    return seconds(ofTicks: children.reduce(own.own + own.ended) { $0 + $1.own })
  }

  static func seconds(ofTicks ticks: Int) -> Double { Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))) }
}
