/// The highest resident size that this process has had.
enum PeakMemory {
  static func bytes() throws -> Int { try ProcessStatus.bytes("VmHWM") }
}
