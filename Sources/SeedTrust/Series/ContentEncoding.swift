/// How a published file is compressed.
package enum ContentEncoding: String, Hashable, Sendable, CaseIterable {
  /// gzip: always published.
  case gzip
  /// xz: where configured, about half the size.
  case xz

  /// What a file's name ends with, without the dot.
  package var fileExtension: String {
    switch self {
    case .gzip: "gz"
    case .xz: "xz"
    }
  }
}
