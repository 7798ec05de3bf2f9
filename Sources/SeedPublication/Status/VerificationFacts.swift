package import SeedFormat
package import SeedSystem

/// The result of the newest `verify` of the whole publication.
package struct VerificationFacts: Hashable, Sendable {
  package let at: UTCTime
  package let isSound: Bool
  /// When a verification last found no error; `nil` if none did.
  package let soundAt: UTCTime?

  package init(isSound: Bool, at: UTCTime, after last: Self?) {
    (self.isSound, self.at, soundAt) = (isSound, at, isSound ? at : last?.soundAt)
  }
}

extension VerificationFacts {
  /// `nil` if the publication was sound.
  package var warning: String? {
    guard !isSound else { return nil }
    return
      "the newest verification, of \(at), found errors in the publication: 'seedbank verify' names each with a remedy"
  }
}

extension VerificationFacts: CommonFacts {
  package static var fileName: String { "verification.json" }

  package init?(_ json: JSONValue) {
    guard let at = json["time"]?.string.flatMap({ UTCTime($0) }), let isSound = json["sound"]?.bool else {
      return nil
    }
    (self.at, self.isSound) = (at, isSound)
    soundAt = json["soundAt"]?.string.flatMap { UTCTime($0) }
  }

  package var json: JSONValue {
    ["time": .string(at.text), "sound": .bool(isSound), "soundAt": JSONValue(soundAt?.text)]
  }
}
