import SeedSystem

import class Foundation.FileManager

extension Paths {
  static var scratchPrefix: String { scratchFolder + "/seedbank-scratch-" }

  static var scratchFolder: String { FileManager.default.temporaryDirectory.path }
}
