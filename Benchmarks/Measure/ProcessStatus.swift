import struct Foundation.Data
import class Foundation.FileHandle

enum ProcessStatus {
  private static let bytesPerUnit = 1024

  /// A field of `/proc/PROCESS/status` in kilobytes, for example `VmRSS`.
  static func bytes(_ field: String, of process: String = "self") throws -> Int {
    let file = "/proc/\(process)/status"
    // A file of /proc has no size, so read to its end.
    let data = try FileHandle(forReadingAtPath: file)?.readToEnd() ?? Data()
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix("\(field):")
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1, let count = Int(words[1]) { return count * bytesPerUnit }
    }
    throw BenchmarkError.unexpected("lack of \(field)", in: file)
  }
}
