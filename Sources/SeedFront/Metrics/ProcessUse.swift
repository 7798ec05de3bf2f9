import SeedFormat
import SeedSystem

/// This process's resource usage, from Linux.
struct ProcessUse {
  let cpuSeconds: Double
  let virtualBytes: Double
  let residentBytes: Double
  let openFiles: Double?
  let mostFiles: Double?
  /// Seconds since 1970.
  let start: Double

  /// The line has about 50 numbers.
  private static let mostBytes = 4096

  /// Returns `nil` if there is no `/proc`.
  init?() {
    guard let bytes = try? File("/proc/self/stat", for: .reading).read(Self.mostBytes) else { return nil }
    // The program's name is in parentheses and may contain spaces and parentheses.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    // Starts with field 3 in the numbering of proc(5).
    let fields = text[end...].dropFirst(2).split(separator: " ").map { Double($0) ?? 0 }
    guard fields.count > 21 else { return nil }
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    cpuSeconds = (fields[11] + fields[12]) / ticks
    virtualBytes = fields[20]
    residentBytes = fields[21] * Double(sysconf(Int32(_SC_PAGESIZE)))
    start = Self.seconds(CLOCK_REALTIME) - Self.seconds(CLOCK_BOOTTIME) + fields[19] / ticks
    openFiles = (try? Folder.names(in: "/proc/self/fd")).map { Double($0.count) }
    var limit = rlimit()
    let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    mostFiles = isKnown ? Double(limit.rlim_cur) : nil
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
