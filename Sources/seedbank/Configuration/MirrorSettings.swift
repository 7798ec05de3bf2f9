import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

#if SEEDBANK_BUCKETS
import SeedMirror
#endif

struct MirrorSettings: Hashable, Sendable {
  /// Absolute; nil for a bucket.
  var folder: String?
  var bucket: String?
  var region = "us-east-1"
  var style = Style.path
  var fence = Fence.conditional
  /// A profile in the file named by `AWS_SHARED_CREDENTIALS_FILE`.
  var profile: String?

  enum Style: String, CaseIterable, Sendable { case path, virtual }
  enum Fence: String, CaseIterable, Sendable { case conditional, none }

  var place: String { folder ?? bucket ?? "" }
}

extension DeploymentConfiguration {
  static let mirrorSettings: [Setting<Self>] = [
    Setting(
      key: "mirrors", type: "list of objects", usual: "none", isSeldom: true,
      meaning:
        "folders and buckets that are brought up to date after each step, such as `[{\"folder\": \"/mnt/mirror\"}, "
        + "{\"s3\": \"https://s3.example/bucket/prefix\"}]`. See the article on mirrors",
      read: { configuration, value throws(Refusal) in
        let own = [configuration.publication, configuration.state, configuration.keys]
        configuration.mirrors = try value.mirrors(besides: own) ?? []
      }, json: { configuration in .array(configuration.mirrors.map { $0.json(in: configuration.file) }) })
  ]

  /// The mirrors. Their grace period for files without an entry in metadata is the longest of all datasets.
  func openMirrors(
    _ environment: [String: String], isOver: @escaping @Sendable () -> Bool = { false }
  ) -> [Mirror] {
    mirrors.compactMap { settings in
      var options = MirrorOptions()
      options.looksFirst = settings.folder != nil
      options.isFenced = settings.fence == .conditional
      options.isOver = isOver
      options.graceSeconds = datasets.map(\.policy.graceSeconds).max() ?? 0
      return settings.store(environment, isOver).map { Mirror($0, options, stateFolder: state) }
    }
  }
}

extension MirrorSettings {
  fileprivate func json(in file: String) -> JSONValue {
    if let folder { return ["folder": .string(Paths.relative(folder, to: Folder.parent(of: file)))] }
    return .object(
      .init(
        ("s3", JSONValue(bucket)), ("region", .string(region)), ("style", .string(style.rawValue)),
        ("fence", .string(fence.rawValue)), ("profile", profile.map { .string($0) })))
  }

  fileprivate func store(
    _ environment: [String: String], _ isOver: @escaping @Sendable () -> Bool
  ) -> (any MirrorStore)? {
    if let folder { return FolderStore(folder) }
    #if SEEDBANK_BUCKETS
    return bucketStore(environment, isOver)
    #else
    return nil
    #endif
  }

  #if SEEDBANK_BUCKETS
  var bucketAddress: BucketAddress? { bucket.flatMap(address) }

  func bucketStore(
    _ environment: [String: String], _ isOver: @escaping @Sendable () -> Bool = { false }
  ) -> BucketStore? {
    bucketAddress.map { address in
      BucketStore(address, isOver: isOver) { [profile] in
        try BucketCredentials(environment, profile: profile)
      }
    }
  }

  fileprivate func address(_ text: String) -> BucketAddress? {
    BucketAddress(text, region: region, style: style == .path ? .path : .virtual)
  }
  #endif
}

extension ConfigurationValue {
  fileprivate func mirrors(besides own: [String]) throws(Refusal) -> [MirrorSettings]? {
    guard let elements = try elements() else { return nil }
    var mirrors: [MirrorSettings] = []
    for element in elements {
      let mirror = try element.mirror()
      if let folder = mirror.folder, let other = own.first(where: { Self.overlap(folder, $0) }) {
        throw element.error(
          "expected a separate folder, found \(folder.printable), which overlaps the deployment's "
            + other.printable)
      }
      guard !mirrors.contains(where: { $0.place == mirror.place }) else {
        throw element.error("expected each place once, found \(mirror.place.printable) again")
      }
      mirrors.append(mirror)
    }
    return mirrors
  }

  /// Whether the paths are equal or one is inside the other. Compares only names, because a mirror's disk may hang.
  private static func overlap(_ one: String, _ other: String) -> Bool {
    "\(one)/".hasPrefix("\(other)/") || "\(other)/".hasPrefix("\(one)/")
  }

  private func mirror() throws(Refusal) -> MirrorSettings {
    let members = try members(["folder", "s3", "region", "style", "fence", "profile"])
    var mirror = MirrorSettings()
    mirror.folder = try members[0].value.path()
    guard let text = try members[1].value.text() else {
      guard mirror.folder != nil else {
        throw error("expected \"folder\" with a path, or \"s3\" with an address, found neither")
      }
      if let other = members.dropFirst().first(where: { $0.value.written != nil }) {
        throw other.value.error("only a bucket has this setting, but this mirror is a folder")
      }
      return mirror
    }
    guard mirror.folder == nil else { throw error("expected \"folder\" or \"s3\", found both") }
    mirror.region = try members[2].value.text() ?? mirror.region
    mirror.style = try members[3].value.choice() ?? mirror.style
    mirror.fence = try members[4].value.choice() ?? mirror.fence
    mirror.profile = try members[5].value.text()
    mirror.bucket = try members[1].value.bucket(text, mirror)
    return mirror
  }

  private func bucket(_ text: String, _ mirror: MirrorSettings) throws(Refusal) -> String {
    #if SEEDBANK_BUCKETS
    guard let address = mirror.address(text) else {
      throw error("expected \(BucketAddress.expected), found something else")
    }
    return address.text
    #else
    throw error("this seedbank was built with SEEDBANK_BUCKETS=0: build it again without that variable")
    #endif
  }
}
