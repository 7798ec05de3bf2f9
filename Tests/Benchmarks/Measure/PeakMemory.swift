import struct Foundation.Data
import class Foundation.FileHandle

/// The highest resident size that this process has had.
enum PeakMemory {
  private static let field = "VmHWM:"
  private static let bytesPerUnit = 1024

  static func bytes() throws -> Int {
    // A file of /proc has no size to ask for: it is read to its end.
    let data = FileHandle(forReadingAtPath: "/proc/self/status")?.readDataToEndOfFile() ?? Data()
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix(field) {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1, let count = Int(words[1]) { return count * bytesPerUnit }
    }
    throw BenchmarkError.unexpected("lack of \(field)", in: "/proc/self/status")
  }
}
