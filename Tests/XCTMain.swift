import Testing

/// The start of the tests' program. Without this file, SwiftPM would search for XCTest's classes in the compiler's index,
/// which nothing else needs.
@main struct Main {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
