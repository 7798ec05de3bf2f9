/// What this build calls itself.
enum Release {
  static let version = "0.1.0"
}
