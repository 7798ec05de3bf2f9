package import SeedFormat

/// Stores a copy of a publication. Throws ``MirrorError`` for failed requests and `FileError` for disk errors.
package protocol MirrorStore: Sendable {
  /// The mirror's name for the operator, without secrets.
  var place: String { get }
  /// Lists the files in `metadata/` and `targets/` with their lengths.
  func list() throws -> [String: Int]
  /// Reads a small file. Returns `nil` if it is missing.
  func read(_ path: String) throws -> StoredFile?
  /// Copies a file to `sink`, stopping soon after `bytes` bytes, and returns the copy's hash. Returns `nil` if the file
  /// is missing. May continue an interrupted copy.
  func download(_ path: String, bytes: Int, to sink: String) throws -> SHA256Digest?
  func length(_ path: String) throws -> Int?
  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply
  /// Does nothing if the file is missing.
  func remove(_ path: String) throws
  /// Whether clients can read a file without credentials, or `nil` if the store cannot report that.
  func isPublic(_ path: String) throws -> Bool?
}

package struct StoredFile: Hashable, Sendable {
  package let bytes: [UInt8]
  /// Identifies the content for ``PutCondition/tag(_:)``.
  package let tag: String

  package init(_ bytes: [UInt8], tag: String) { (self.bytes, self.tag) = (bytes, tag) }
}

package enum PutCondition: Hashable, Sendable {
  /// The name is free: `If-None-Match: *`.
  case absent
  /// The existing file has this tag: `If-Match`.
  case tag(String)
  case none
}

package enum PutReply: Hashable, Sendable {
  case done(tag: String)
  /// The condition failed: 412.
  case unmet
  /// Another put of the same name is running: 409.
  case disputed
  /// The file or the bucket does not exist: 404.
  case absent
  /// The outcome is unknown after a timeout, a 5xx or a broken connection.
  case outcomeUnknown(String)
}

package enum MirrorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another publisher with the same keys continued this publication, or this disk is an old copy.
  case ahead(there: Int, here: Int)
  /// Two publishers signed the same version.
  case forked(version: Int)
  /// Another publisher replaced a timestamp of this publisher.
  case overtaken(there: Int, here: Int)
  /// The mirror has a metadata file of this name with different content. No timestamp refers to it yet.
  case rival(path: String)
  case foreign
  case vanished
  /// The folder, bucket or permission is missing; the text has the details.
  case refused(String)
  /// The store does not answer; the text has the details.
  case away(String)
  /// An obsolete file cannot be removed. The mirror has the current version.
  indirect case leftover(MirrorError)
  case ignoresConditions(String)

  private static let takeOver =
    "Stop all publishers but one. To continue here from the mirror's state, move the local publication folder away and "
    + "run 'seedbank recover'"
  static let noPlace = MirrorError.refused(
    "the folder or bucket does not exist: create it, and the next step fills it")

  /// Whether publishing must stop until the operator decides which publisher continues.
  package var stopsPublisher: Bool {
    switch self {
    case .ahead, .forked, .overtaken: true
    default: false
    }
  }

  /// Whether clients of the mirror get the current version despite the error.
  package var isHarmless: Bool { if case .leftover = self { true } else { false } }

  package var description: String {
    switch self {
    case .ahead(let there, let here):
      "another publisher publishes there, or this disk was restored from an old copy: the mirror's timestamp has "
        + "version \(there), the one here \(here). \(Self.takeOver)"
    case .forked(let version):
      "another publisher publishes there: both signed a version \(version) of the timestamp, with different content. "
        + Self.takeOver
    case .overtaken(let there, let here):
      "another publisher publishes there: this publisher did not write version \(there) of the timestamp; its newest is version \(here). "
        + "\(Self.takeOver). If there was never another publisher, 'seedbank mirror push --replace' overwrites that timestamp"
    case .rival(let path):
      "\(path) exists with different content, and no metadata names it yet: another publisher is at work, or this disk was "
        + "restored from an old copy. If no other publisher runs, 'seedbank mirror push --replace' overwrites the file"
    case .foreign:
      "the timestamp there is not signed by a key of this publication: choose another place, or empty this one if its files "
        + "are no longer needed"
    case .vanished:
      "all mirrored files are gone. Is the mirror's disk mounted? 'seedbank mirror push' refills an emptied mirror"
    case .refused(let text), .away(let text): text
    case .leftover(let cause): "obsolete files cannot be removed: \(cause)"
    case .ignoresConditions(let what):
      "it does not honour conditions (\(what)), so two publishers could overwrite each other unnoticed: use another store, or "
        + "set \"fence\": \"none\" if there will never be a second publisher"
    }
  }
}

package struct MirrorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let place: String
  package let error: MirrorError

  package init(_ place: String, _ error: MirrorError) { (self.place, self.error) = (place, error) }

  package var description: String { "the mirror \(place): \(error)" }
}
