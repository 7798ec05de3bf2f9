import SeedFormat
import SeedSystem

/// What this process uses, as Linux tells it.
struct ProcessUse {
  let cpuSeconds: Double
  let virtualBytes: Double
  let residentBytes: Double
  let openFiles: Double?
  let mostFiles: Double?
  /// Seconds since 1970.
  let start: Double

  /// Bytes of the line, which has some 50 numbers.
  private static let mostBytes = 4096

  /// `nil` where there is no `/proc`.
  init?() {
    guard let bytes = try? File("/proc/self/stat", for: .reading).read(Self.mostBytes) else { return nil }
    // The program's name stands in brackets, and may have spaces and brackets of its own.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    // From the third on, as proc(5) counts them.
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
