import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct MetadataTests {
  static let header =
    #""spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z","x-new":{"a":[1]}"#
  static let key = #"{"keytype":"rsa","scheme":"rsassa-pss-sha256","keyval":{"public":"PEM","x":1},"x":2}"#
  static let keys = #"{"k1":\#(key)}"#
  static let role = #"{"keyids":["k1"],"threshold":1,"x":3}"#
  static let rootText =
    #"{"_type":"root",\#(header),"consistent_snapshot":true,"keys":\#(keys),"roles":"#
    + #"{"root":\#(role),"targets":\#(role),"snapshot":\#(role),"timestamp":\#(role),"mirrors":\#(role)}}"#
  static let file = #"{"length":3,"hashes":{"sha256":"aa","sha3":"bb"},"custom":{"x":null},"x":4}"#
  static let delegations =
    #"{"keys":\#(keys),"roles":[{"name":"a/b","keyids":[],"threshold":2,"terminating":false,"#
    + #""paths":["*"],"x":5},{"name":"c","keyids":["k1"],"threshold":1,"terminating":true,"#
    + #""path_hash_prefixes":["00"]}],"x":6}"#
  static let targetsText =
    #"{"_type":"targets",\#(header),"targets":{"a/f":\#(file)},"delegations":\#(delegations)}"#
  static let meta = #"{"version":7,"length":9,"hashes":{"sha512":"cc"},"x":8}"#
  static let snapshotText =
    #"{"_type":"snapshot",\#(header),"meta":{"targets.json":\#(meta),"z.json":{"version":1}}}"#
  static let timestampText = #"{"_type":"timestamp",\#(header),"meta":{"snapshot.json":\#(meta)}}"#

  private func roundTrip<Role: SignedRole>(_: Role.Type, _ signed: String) throws {
    let text = #"{"signatures":[{"keyid":"k","sig":""}],"signed":\#(signed)}"#
    let tree = try JSONValue(parsing: Array(text.utf8))
    let metadata = try Metadata<Role>(parsing: Array(text.utf8))
    let again = try JSONValue(parsing: metadata.bytes)
    #expect(try CanonicalJSON.bytes(of: again) == CanonicalJSON.bytes(of: tree))
    #expect(try Metadata<Role>(parsing: metadata.bytes) == metadata)
  }

  @Test func `signed unknown fields survive reading and writing`() throws {
    try roundTrip(Root.self, Self.rootText)
    try roundTrip(Targets.self, Self.targetsText)
    try roundTrip(SnapshotRole.self, Self.snapshotText)
    try roundTrip(Timestamp.self, Self.timestampText)
  }

  @Test func `absent fields stay absent`() throws {
    let root = Self.rootText.replacing(#""consistent_snapshot":true,"#, with: "")
    try roundTrip(Root.self, root)
    let file = Array(#"{"signatures":[],"signed":\#(root)}"#.utf8)
    #expect(try !Metadata<Root>(parsing: file).signed.consistentSnapshot)
    let succinct = #"{"keys":\#(Self.keys),"succinct_roles":{"bit_length":8}}"#
    try roundTrip(Targets.self, Self.targetsText.replacing(Self.delegations, with: succinct))
    try roundTrip(Targets.self, Self.targetsText.replacing(#","delegations":\#(Self.delegations)"#, with: ""))
  }

  struct Flaw: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let old: String
    let new: String

    init(_ text: String, _ old: String, _ new: String, says: String) {
      testDescription = says
      self.text = text
      self.old = old
      self.new = new
    }
  }

  static let flaws = [
    Flaw(
      rootText, #""version":1"#, #""version":9223372036854775807"#,
      says: "signed.version: 9223372036854775807 is beyond 2^53 − 1"),
    Flaw(
      targetsText, #""sha3":"bb""#, #""sha3":3"#, says: "signed.targets.a/f.hashes.sha3: expected a string"),
    Flaw(rootText, #""version":1"#, #""version":0"#, says: "signed.version: expected 1 or more, found 0"),
    Flaw(
      rootText, #""version":1"#, #""version":1.0"#,
      says: "document.version: a number with a fraction has no canonical form"),
    Flaw(
      rootText, #""version":1"#, #""version":"1""#,
      says: "signed.version: expected a whole number, found a string"),
    Flaw(rootText, #""version":1,"#, "", says: "signed.version: is missing"),
    Flaw(rootText, "1.0.31", "2.0.0", says: "signed.spec_version: expected 1.x.y, found 2.0.0"),
    Flaw(rootText, #""threshold":1"#, #""threshold":0"#, says: "threshold: expected 1 or more, found 0"),
    Flaw(rootText, #"["k1"]"#, #"["k1","k1"]"#, says: "keyids: a key id occurs twice"),
    Flaw(rootText, #"["k1"]"#, #"["k1",2]"#, says: "keyids[1]: expected a string, found a whole number"),
    Flaw(rootText, #""timestamp":"#, #""time":"#, says: "signed.roles: the role timestamp is missing"),
    Flaw(
      rootText, #""consistent_snapshot":true"#, #""consistent_snapshot":1"#,
      says: "signed.consistent_snapshot: expected a bool, found a whole number"),
    Flaw(
      rootText, "T00:00:00Z", "",
      says:
        #"signed.expires: invalid time "2030-01-01": expected a date and time such as 2026-08-01T12:00:00Z"#),
    Flaw(
      targetsText, #""length":3"#, #""length":-3"#,
      says: "signed.targets.a/f.length: expected 0 or more, found -3"),
    Flaw(
      targetsText, #""hashes":{"sha256":"aa","sha3":"bb"}"#, #""hashes":{}"#,
      says: "signed.targets.a/f.hashes: is empty"),
    Flaw(
      targetsText, #""name":"c""#, #""name":"a/b""#,
      says: "signed.delegations.roles[1].name: occurs twice: a/b"),
    Flaw(
      targetsText, #""name":"c""#, #""name":"root""#,
      says: #"signed.delegations.roles[1].name: "root" cannot be the name of a delegated role"#),
    Flaw(
      targetsText, #""paths":["*"],"#, "",
      says: "signed.delegations.roles[0].paths: expected one of paths and path_hash_prefixes"),
    Flaw(
      targetsText, delegations, #"{"keys":{},"roles":1}"#,
      says: "signed.delegations.roles: expected an array, found a whole number"),
    Flaw(
      rootText, keys, "{\"\u{E9}\":\(key),\"e\u{301}\":\(key)}",
      says: "signed.keys.e\u{301}: occurs twice, in two Unicode forms"),
    Flaw(
      targetsText, #""sha3":"bb""#, "\"\u{E9}\":\"bb\",\"e\u{301}\":\"bb\"",
      says: "signed.targets.a/f.hashes.e\u{301}: occurs twice, in two Unicode forms"),
    Flaw(snapshotText, "targets.json", "other.json", says: "signed.meta: targets.json is missing"),
    Flaw(
      timestampText, "snapshot.json", "other.json",
      says: "signed.meta: expected snapshot.json and nothing else"),
    Flaw(
      timestampText, #""_type":"timestamp""#, #""_type":[]"#,
      says: "signed._type: expected a string, found an array"),
  ]

  @Test(arguments: flaws) func `an error includes the path of its field`(flaw: Flaw) throws {
    let signed = flaw.text.replacing(flaw.old, with: flaw.new)
    try #require(signed != flaw.text)
    let file = Array(#"{"signatures":[],"signed":\#(signed)}"#.utf8)
    let error = #expect(throws: MalformedJSON.self) {
      switch flaw.text {
      case Self.rootText: _ = try Metadata<Root>(parsing: file)
      case Self.targetsText: _ = try Metadata<Targets>(parsing: file)
      case Self.snapshotText: _ = try Metadata<SnapshotRole>(parsing: file)
      default: _ = try Metadata<Timestamp>(parsing: file)
      }
    }
    #expect(error?.description.hasSuffix(flaw.testDescription) == true, "\(error?.description ?? "")")
  }

  @Test func `invalid JSON is reported with its byte offset`() {
    let error = #expect(throws: TrustError.self) {
      try TrustedMetadataSet(root: Array("{}x".utf8), now: .distantPast)
    }
    #expect(error?.description == "root metadata is malformed: expected the end of the document at byte 2")
  }
}

@Suite struct SeriesMetadataTests {
  private let series = SignedRepository.transit

  private func role(_ change: (String) -> String = { $0 }) throws -> Targets {
    let metadata = try SignedRepository().metadata(series, head: 102)
    let role = metadata.role(version: 1, expires: .init(secondsSinceEpoch: 0))
    let text = change(role.json.text)
    return try Metadata<Targets>(parsing: Array(#"{"signatures":[],"signed":\#(text)}"#.utf8)).signed
  }

  @Test func `a series role round-trips with all its fields`() throws {
    let repository = try SignedRepository()
    for lifecycle in [
      SeedLifecycle.active, .deprecated(sunset: nil, message: nil), .deprecated(sunset: "2027", message: "m"),
      .retired(message: nil), .retired(message: "gone"),
    ] {
      var metadata = try repository.metadata(series, head: 102)
      metadata.state.lifecycle = lifecycle
      let file = try Metadata(signing: metadata.role(version: 3, expires: repository.now), with: []).bytes
      #expect(try SeriesMetadata(series, in: Metadata<Targets>(parsing: file).signed) == metadata)
    }
  }

  @Test func `objects have the documented names`() throws {
    let objects = try SignedRepository().metadata(series, head: 102).objects
    let digest = objects[1].sha256.hex
    #expect(
      objects.map(\.targetPath) == [
        "transit/2/delta-101-102.json.gz", "transit/2/snapshot-102.sqlite.gz",
        "transit/2/snapshot-102.sqlite.xz",
      ])
    #expect(objects[1].filePath == "targets/transit/2/\(digest).snapshot-102.sqlite.gz")
    #expect(objects.map(\.version.number) == [102, 102, 102])
    #expect(objects.map(\.encoding) == [.gzip, .gzip, .xz])
  }

  @Test(arguments: [
    ("delta-101-102", "blocks-101-102"), ("delta-101-102", "delta-102-101"),
    ("delta-101-102", "delta-102-102"),
    ("delta-101-102", "delta-0101-102"), ("delta-101-102", "delta-101"),
    ("delta-101-102", "snapshot-101-102"), ("delta-101-102", "../delta-101-102"),
    ("delta-101-102.json.gz", "delta-101-102.sqlite.gz"), ("sqlite.xz", "sqlite.zstd"),
  ])
  func `objects whose names have another form are ignored`(old: String, new: String) throws {
    let metadata = try SeriesMetadata(series, in: role { $0.replacing(old, with: new) })
    #expect(metadata.objects.count == 2)
  }

  @Test func `objects of a model without a schema are ignored`() throws {
    let metadata = try SeriesMetadata(series, in: role { $0.replacing(#""2.1":"#, with: #""2.9":"#) })
    #expect(metadata.objects.isEmpty)
  }

  @Test(arguments: [
    (#""floor":1"#, #""floor":103"#, "signed.seedbank.floor: 103 is above the head, 102"),
    (#""head":102"#, #""head":0"#, "signed.seedbank.head: expected 1 or more, found 0"),
    (
      #""model":"2.1","models""#, #""model":"3.1","models""#,
      "signed.seedbank.model: 3.1 is not of series transit/2"
    ),
    (
      #""state":"deprecated""#, #""state":"old""#,
      "signed.seedbank.lifecycle.state: expected active, deprecated or retired, found old"
    ),
    (#""seedbank""#, #""seedbox""#, "signed.seedbank: is missing"),
    (#""2.0":"#, #""two":"#, "signed.seedbank.models.two: is not a model version"),
    (
      "transit/2/delta-101", "transit/3/delta-101",
      "signed.targets.transit/3/delta-101-102.json.gz: is not in transit/2"
    ),
    (
      #""model":"2.1","rawLength""#, #""model":"3.1","rawLength""#,
      "custom.model: 3.1 is not of series transit/2"
    ),
    (#""rawSHA256":"#, #""raw":"#, ".custom.rawSHA256: is missing"),
    (#""rawLength":9"#, #""rawLength":null"#, ".custom.rawLength: expected a whole number, found null"),
    (#""rawLength":9"#, #""rawLength":1099511627777"#, ": expected at most 1099511627776 bytes"),
  ])
  func `inconsistent series metadata is rejected`(old: String, new: String, says: String) throws {
    let role = try role { $0.replacing(old, with: new) }
    let error = #expect(throws: MalformedJSON.self) { try SeriesMetadata(series, in: role) }
    #expect(error?.description.hasSuffix(says) == true, "\(error?.description ?? "")")
  }

  @Test(
    arguments: [
      ("transit-2", "transit/2"), ("a-b-10", "a-b/10"), ("targets", nil), ("transit-02", nil), ("-2", nil),
      ("transit-0", nil), ("transit-", nil), ("Transit-2", nil),
    ] as [(String, String?)])
  func `a role's name is parsed into its series`(name: String, series: String?) {
    #expect(SeedSeries(roleName: name)?.description == series)
  }
}
