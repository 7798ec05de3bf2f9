import struct Foundation.Data

/// RFC 4648 §4 with padding; the decoder accepts only what the encoder writes.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// `nil` where the text is not what ``encode(_:)`` would have written.
  package static func decode(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text) else { return nil }
    // Foundation passes over set bits behind the last byte, with which one blob would have several texts.
    return data.base64EncodedString() == text ? Array(data) : nil
  }
}
