/// A place that holds a copy of a publication: a folder, a bucket. Its methods throw a ``MirrorError`` for what it refuses and
/// for what could not be asked, and a `FileError` where a disk failed.
package protocol MirrorStore: Sendable {
  /// How an operator knows it; without secrets.
  var place: String { get }
  /// The files below `metadata/` and `targets/` with their bytes.
  func list() throws -> [String: Int]
  /// One small file, `nil` where it is not there.
  func read(_ path: String) throws -> StoredFile?
  /// Bytes of a file, `nil` where it is not there.
  func length(_ path: String) throws -> Int?
  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply
  /// One that is not there is fine.
  func remove(_ path: String) throws
  /// Whether clients can read a file without a right of their own; `nil` where that cannot be asked.
  func isPublic(_ path: String) throws -> Bool?
}

/// A small file as it was read from a mirror.
package struct StoredFile: Hashable, Sendable {
  package let bytes: [UInt8]
  /// Names the content for ``PutCondition/tag(_:)``.
  package let tag: String

  package init(_ bytes: [UInt8], tag: String) { (self.bytes, self.tag) = (bytes, tag) }
}

/// What must be so for a file to be put.
package enum PutCondition: Hashable, Sendable {
  /// Nothing has that name: `If-None-Match: *`.
  case absent
  /// What is there has that tag: `If-Match`.
  case tag(String)
  case none
}

/// How a store answered a put.
package enum PutReply: Hashable, Sendable {
  case done(tag: String)
  /// The condition does not hold: 412.
  case unmet
  /// Another put of the same name is under way: 409.
  case disputed
  /// Nothing has that name, or there is no such bucket: 404.
  case absent
  /// No answer that says whether it was done: a timeout, a 5xx, a connection that broke.
  case unheard(String)
}

/// Why a mirror is not brought up to date.
package enum MirrorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another publisher with the same keys went on from here, or the disk here is an old one.
  case ahead(there: Int, here: Int)
  /// Two publishers signed the same version.
  case forked(version: Int)
  /// Another publisher put its timestamp over one from here.
  case overtaken(there: Int, here: Int)
  /// Metadata of the same name and other content, to which the timestamp there does not lead yet.
  case rival(path: String)
  case foreign
  /// What was mirrored is gone.
  case vanished
  /// There is no folder, no bucket, no right; the text says it.
  case refused(String)
  /// It does not answer; the text says how.
  case away(String)
  /// Another process brings it up to date.
  case busy
  case ignoresConditions(String)

  /// Nothing may be published before it is decided which publisher goes on.
  package var stopsPublisher: Bool {
    switch self {
    case .ahead, .forked, .overtaken: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .ahead(let there, let here):
      "another publisher publishes there, or this disk is an old one: its timestamp has version \(there), the one here \(here). "
        + "Stop all publishers but one; 'seedbank recover' begins anew from what is published there"
    case .forked(let version):
      "another publisher publishes there: both signed version \(version) of the timestamp, with different content. Stop all "
        + "publishers but one; 'seedbank recover' begins anew from what is published there"
    case .overtaken(let there, let here):
      "another publisher publishes there: version \(there) of the timestamp was not put from here, where version \(here) is the "
        + "newest. Stop all publishers but one; 'seedbank recover' begins anew from what is published there. If there never was "
        + "another one, 'seedbank mirror push --replace' puts the one from here in its place"
    case .rival(let path):
      "\(path) is there with other content, and nothing leads to it yet: another publisher is at work, or a disk was lost "
        + "while it was. When no other one runs, 'seedbank mirror push --replace' puts the one from here in its place"
    case .foreign:
      "the timestamp there is not signed by a key of this publication: name another place, or empty this one if nobody needs "
        + "what it holds"
    case .vanished:
      "nothing of what was mirrored is there any more. Is its disk mounted? If it was emptied, 'seedbank mirror push' fills it "
        + "again"
    case .refused(let text), .away(let text): text
    case .busy: "another process is bringing it up to date: try again when it is done"
    case .ignoresConditions(let what):
      "it does not honour conditions (\(what)), so two publishers could overwrite each other unseen: use a store that does, or "
        + "write \"fence\": \"none\" if there will never be two"
    }
  }
}

/// A mirror that was not brought up to date, and which one.
package struct MirrorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let place: String
  package let error: MirrorError

  package init(_ place: String, _ error: MirrorError) { (self.place, self.error) = (place, error) }

  package var description: String { "the mirror \(place): \(error)" }
}
