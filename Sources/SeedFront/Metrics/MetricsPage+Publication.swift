import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension MetricsPage {
  mutating func writePublication(_ view: CatalogView) {
    let series = view.catalog?.allSeries ?? []
    writeGauge("seedbank_publication_timestamp_seconds", "When the series was last published.", series) {
      $0.state.publishedAt.secondsSinceEpoch
    }
    writeGauge("seedbank_head_version", "The newest version.", series) { $0.state.head.number }
    writeGauge("seedbank_floor_version", "The oldest version that deltas can update.", series) {
      $0.state.floor.number
    }
    writeGauge("seedbank_held", "1 if a rollback holds the series.", series) { $0.state.hold == nil ? 0 : 1 }
    writeGauge("seedbank_served_snapshots", "Snapshots that a new client can download now.", series) {
      view.servedSnapshots($0).count
    }
    writeGauge("seedbank_missing_files", "Files that are missing or have the wrong length.", series) {
      view.missingFiles($0)
    }
    writeParts("seedbank_snapshot_bytes", "encoding", "Bytes of the newest snapshot, by encoding.", series) {
      metadata in
      ContentEncoding.allCases.compactMap { encoding in
        metadata.usableSnapshots.newest(encoding).map { (encoding.rawValue, $0.length) }
      }
    }
    writeParts("seedbank_lifecycle", "state", "1, with the series' lifecycle state.", series) {
      [($0.state.lifecycle.json["state"]?.string ?? "", 1)]
    }
    text.gauge("seedbank_ready", "1 if every series has a snapshot to start from.", view.isReady ? 1 : 0)
    writeDisk(view)
  }

  mutating func writeFollow(_ follow: FollowState) {
    text.gauge(
      "seedbank_follow_last_good_look_timestamp_seconds",
      "When the followed publication last answered and was copied completely.",
      follow.lastGoodLook.map { Double($0.secondsSinceEpoch) })
    text.family(
      "seedbank_follow_looks_total", .counter, "Checks of the followed publication, by result.",
      [
        ([("result", "good")], Double(follow.goodLooks)),
        ([("result", "failed")], Double(follow.failedLooks)),
      ])
  }

  private mutating func writeDisk(_ view: CatalogView) {
    guard let catalog = view.catalog else { return }
    text.gauge(
      "seedbank_publication_bytes", "Bytes of the files that are published now.",
      Double(catalog.publishedBytes))
    guard let disk = DiskUse(of: catalog.directory.path) else { return }
    text.gauge("seedbank_disk_free_bytes", "Bytes that are free on the publication's disk.", disk.freeBytes)
    text.gauge("seedbank_disk_size_bytes", "Bytes of the publication's disk.", disk.allBytes)
  }

  mutating func writeSignatures(_ view: CatalogView) {
    guard let catalog = view.catalog else { return }
    text.family(
      "seedbank_metadata_expires_timestamp_seconds", .gauge,
      "When a role's metadata expires, unless it is renewed.",
      catalog.signatures.map { ([("role", $0.role)], Double($0.expires.secondsSinceEpoch)) })
  }

  /// Uses the facts, so that a publisher in another process is included.
  mutating func writeFacts(_ view: CatalogView) {
    let facts = (view.catalog?.allSeries ?? []).compactMap { view.facts[$0.series] }
    writeGauge(
      "seedbank_last_good_look_timestamp_seconds", "When a check of the origin last succeeded.", facts
    ) { $0.look.good?.secondsSinceEpoch }
    writeGauge(
      "seedbank_expected_look_seconds",
      "Expected seconds between two checks of the origin by a running publisher.", facts
    ) { facts in facts.checkSeconds.map { StepRhythm.expectedSeconds($0, facts.commandSeconds) } }
    writeGauge(
      "seedbank_expected_change_seconds", "Seconds within which the operator expects a new version.", facts
    ) { $0.expectedChangeSeconds }
    writeGauge("seedbank_last_step_failed", "1 if the newest step was refused or failed.", facts) {
      $0.look.newest.map { $0.isFailure ? 1 : 0 }
    }
    writeGauge(
      "seedbank_origin_log_missed_total",
      "Rows that the origin's log missed, and that a full comparison found and published.", facts, .counter
    ) { $0.missedRows }
    writeGauge(
      "seedbank_last_step_seconds", "Seconds of the newest step that published or rejected something.", facts,
      scale: 1000
    ) { $0.steps.first?.milliseconds }
    writeParts("seedbank_table_rows", "table", "Rows of the newest version, by table.", facts) { facts in
      facts.tables.map { ($0.name, $0.rows) }
    }
    writeReading(facts)
    writeMirrors(view)
    let samples = facts.flatMap { facts in
      StepRecord.Outcome.allCases.map { outcome -> Sample in
        // Starts at 0, because monitors do not count the first appearance of a value as an increase.
        (
          [("series", facts.series.description), ("result", outcome.rawValue)],
          Double(facts.counts[outcome] ?? 0)
        )
      }
    }
    text.family("seedbank_steps_total", .counter, "Publish steps of the series, by result.", samples)
  }

  private mutating func writeMirrors(_ view: CatalogView) {
    let mirrors = view.mirrors?.behindSince ?? []
    text.family(
      "seedbank_mirror_behind_timestamp_seconds", .gauge,
      "Since when a mirror has been behind the publication; missing if it is current.",
      mirrors.enumerated().compactMap { index, since in
        since.map { ([("mirror", "\(index + 1)")], Double($0.secondsSinceEpoch)) }
      })
  }

  mutating func writeVerification(_ view: CatalogView) {
    guard let verification = view.verification else { return }
    text.gauge(
      "seedbank_verify_failed", "1 if the newest verification of the publication found errors.",
      verification.isSound ? 0 : 1)
    guard let time = verification.soundAt else { return }
    text.gauge(
      "seedbank_verify_last_success_timestamp_seconds", "When a verification last found no error.",
      Double(time.secondsSinceEpoch))
  }

  private mutating func writeReading(_ facts: [SeriesFacts]) {
    writeGauge(
      "seedbank_origin_transaction_seconds",
      "Seconds for which the newest step that read the origin kept its transaction open.", facts, scale: 1000
    ) { $0.look.reading.openMilliseconds }
    writeGauge(
      "seedbank_origin_is_standby",
      "1 if the database server of the newest check is a standby, 0 if it is a primary.", facts
    ) { $0.look.reading.role.map { $0 == .standby ? 1 : 0 } }
    writeGauge(
      "seedbank_origin_replica_lag_seconds",
      "Upper bound of the seconds by which the replica was behind its primary.", facts
    ) { $0.look.reading.lagSeconds }
    writeGauge(
      "seedbank_origin_replica_wait_timestamp_seconds",
      "Since when steps have waited for the replica to reach the published state; missing if no step waits.",
      facts
    ) { $0.look.behindSince?.secondsSinceEpoch }
  }

  private mutating func writeGauge<Item: OfSeries>(
    _ name: String, _ help: String, _ items: [Item], _ kind: PrometheusText.Kind = .gauge, scale: Double = 1,
    _ value: (Item) -> Int?
  ) {
    text.family(
      name, kind, help,
      items.compactMap { item in
        value(item).map { ([("series", item.series.description)], Double($0) / scale) }
      })
  }

  private mutating func writeParts<Item: OfSeries>(
    _ name: String, _ label: String, _ help: String, _ items: [Item], _ parts: (Item) -> [(String, Int)]
  ) {
    text.family(
      name, .gauge, help,
      items.flatMap { item in
        parts(item).map { ([("series", item.series.description), (label, $0)], Double($1)) }
      })
  }
}

private protocol OfSeries { var series: SeedSeries { get } }
extension SeriesMetadata: OfSeries {}
extension SeriesFacts: OfSeries {}
