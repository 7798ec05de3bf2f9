import SeedServer

/// What seedbank.json and the dataset folders beside it say, checked and with every default filled in.
struct DeploymentConfiguration: Hashable, Sendable {
  /// seedbank.json itself; like every path here, absolute.
  let file: String
  /// The published files.
  var publication: String
  /// The publisher's own files.
  var state: String
  /// The signing keys.
  var keys: String
  var http = HTTPConfiguration()
  var log = LogConfiguration()
  var datasets: [DatasetConfiguration]

  static let fileName = "seedbank.json"

  /// A deployment with the usual folders beside its file.
  init(file: String, datasets: [DatasetConfiguration]) {
    self.file = file
    let folder = Paths.folder(of: file)
    publication = Paths.absolute(Usual.publication, from: folder)
    state = Paths.absolute(Usual.state, from: folder)
    keys = Paths.absolute(Usual.keys, from: folder)
    self.datasets = datasets
  }

  enum Usual {
    static let publication = "publication"
    static let state = "state"
    static let keys = "keys"
  }
}

/// How the front listens.
struct HTTPConfiguration: Hashable, Sendable {
  var host = "127.0.0.1"
  /// 0 lets the system choose.
  var port = 8080
  /// As many as the machine has cores where it is `nil`.
  var threads: Int?
  var connectionLimit = 4000
  /// A quarter of all where it is `nil`.
  var perAddressLimit: Int?
  /// Addresses and networks of proxies, which may have any number of connections.
  var trustedProxies: [String] = []
  var idleTimeoutSeconds = 30
  /// For how long everything is still answered while `/readyz` says that the end is near.
  var drainSeconds = 0

  static let ports = 0...65535
  static let threadCounts = 1...256
  static let connectionLimits = 1...1_000_000
  static let idleTimeouts = 1...3600
  static let drains = 0...3600
}

/// What the log looks like, and how much of it there is.
struct LogConfiguration: Hashable, Sendable {
  var format = LogFormat.text
  /// The least that is told.
  var level = LogLevel.info
  /// Which requests are told of.
  var requests = RequestLog.none
}
