enum PeakMemory {
  static func bytes() throws -> Int { try ProcessStatus.bytes("VmHWM") }
}
