import Foundation

/// A byte's place in a document.
struct FilePlace {
  var offset = 0
  var line = 1

  mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes { line &+= byte == 0x0A ? 1 : 0 }
    offset += bytes.count
  }
}

struct RowPlace {
  var document = ""
  /// From 1; 0 for the whole import.
  var row = 0
  var offset = 0
  var line: Int?
  var list = 0
  var name: String?
}

/// Converts a single-byte encoding to UTF-8, piece by piece; UTF-8 passes unchanged.
struct TextDecoder {
  /// Each byte's character in UTF-8; `nil` if the pieces are UTF-8.
  private let letters: [[UInt8]]?

  /// A byte that is invalid in UTF-8, in place of undefined characters.
  private static let noText: UInt8 = 0xFF

  init(_ encoding: CSVFormat.Encoding) {
    letters = encoding.ofBytes.map { encoding in
      (UInt8.min...UInt8.max).map { byte in
        String(bytes: [byte], encoding: encoding).map { Array($0.utf8) } ?? [Self.noText]
      }
    }
  }

  /// Converts the next piece; returns `nil` if it is already UTF-8.
  func take(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let letters else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(piece.count)
    for byte in piece { if byte < 0x80 { text.append(byte) } else { text += letters[Int(byte)] } }
    return text
  }
}

extension CSVFormat.Encoding {
  fileprivate var ofBytes: String.Encoding? {
    switch self {
    case .utf8: nil
    case .latin1: .isoLatin1
    case .windows1252: .windowsCP1252
    }
  }
}
