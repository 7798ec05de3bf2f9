final class Generation: Sendable {
  let folder: GenerationFolder
  let record: GenerationRecord
  let reader: GenerationReader
  let lease: Lease

  init(_ folder: GenerationFolder, _ record: GenerationRecord, _ lease: Lease) {
    (self.folder, self.record, self.lease) = (folder, record, lease)
    reader = GenerationReader(folder, lease)
  }

  var name: String { folder.name }

  func seed(at version: Version) -> Seed { Seed(file: folder.file, version: version, keeper: self) }
}
