import SeedDatabase
import SeedFormat
import SeedTrust

/// Lays deltas among the published objects, single steps and what is merged of them; they count once metadata
/// lists them.
struct DeltaPublication {
  private let publication: PublicationDirectory
  private let plan: SeriesPlan

  init(_ publication: PublicationDirectory, _ plan: SeriesPlan) {
    self.publication = publication
    self.plan = plan
  }

  /// What merging made.
  struct Merged {
    var objects: [PublishedObject] = []
    /// Why some span was not merged; the deltas that it would have been made of stay.
    var warnings: [String] = []
  }

  /// Writes one delta.
  func store(_ document: [UInt8], _ header: DeltaHeader) throws -> PublishedObject {
    let stored = try Compression.gzip(document)
    let (measure, raw) = (Compression.Measure(of: stored), Compression.Measure(of: document))
    let object = PublishedObject(
      series: plan.series, kind: .delta(from: header.from, to: header.to), length: measure.length,
      sha256: measure.sha256, model: header.model, rawLength: raw.length, rawSHA256: raw.sha256,
      schema: header.schema, digest: header.digest)
    try publication.write(stored, as: object)
    return object
  }

  /// Makes one delta of each span out of those that lead over it, the shorter spans first.
  ///
  /// An object that rotted on the disk must not stop what is new: its span is left as it is.
  func merge(_ spans: [DeltaSpan], of objects: [PublishedObject]) throws -> Merged {
    var merged = Merged()
    for span in spans {
      do {
        guard let object = try merge(span, of: objects + merged.objects) else { continue }
        merged.objects.append(object)
      } catch let error as PublicationError {
        merged.warnings.append("the deltas \(span) of \(plan.series) were not merged: \(error)")
      } catch let error as FileError where error.isMissing {
        merged.warnings.append("the deltas \(span) of \(plan.series) were not merged: \(error)")
      }
    }
    return merged
  }

  /// `nil` where one delta leads over the span already, or none does.
  private func merge(_ span: DeltaSpan, of objects: [PublishedObject]) throws -> PublishedObject? {
    let own = objects.filter { $0.schema == plan.schema.hash }
    guard let chain = DeltaChain.shortest(own, from: span.from, to: span.to), chain.count > 1 else {
      return nil
    }
    let merged = try DeltaMerge(plan.schema).run(try chain.map(publication.delta), from: span.from)
    return try store(merged.document, merged.header)
  }
}
