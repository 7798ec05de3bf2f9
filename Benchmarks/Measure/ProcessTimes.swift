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

  static func seconds(ofTicks ticks: Int) -> Double { Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))) }
}
