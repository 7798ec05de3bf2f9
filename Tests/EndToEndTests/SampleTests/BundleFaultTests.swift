import Foundation
import Support
import Testing

/// The sample app's first start without a network, killed or with a failing disk at any file operation.
@Suite(.serialized, .full) struct BundleFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  private static let sample = 4

  @Test func `an app that dies at any point of its first start has its data at the next start`() throws {
    let (scene, injector) = (try SampleScene(), try FaultInjector())
    let count = try operations(scene, injector)
    #expect(count > 30)
    for fault in [FaultInjector.Fault.kill, .ioError, .diskStaysFull] {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try scene.forget()
        let what = "\(fault) at \(point) of \(count)"
        let preloaded = ["LD_PRELOAD": injector.library, "SEEDBANK_FAULT": "\(fault.rawValue):\(point)"]
        let during = try? scene.app("board", environment: preloaded)
        #expect(
          during == nil || during?.hasPrefix("version 1, shipped") == true, "\(what): \(during ?? "")")
        #expect(try scene.app("board").hasPrefix("version 1, shipped"), "\(what)")
        try scene.road.folder.succeed("doctor", "device/seed", "--root", "shipped/root.json")
      }
    }
  }

  private func operations(_ scene: SampleScene, _ injector: FaultInjector) throws -> Int {
    let file = scene.road.folder("count")
    _ = try scene.app("board", environment: ["LD_PRELOAD": injector.library, "SEEDBANK_FAULT_COUNT": file])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }
}
