#if os(Linux)
internal import CLinux
#endif

/// Returns the process's free memory to the system. Takes milliseconds, during which other threads may wait for memory.
package func returnFreeMemory() {
  #if os(Linux)
  seedbank_return_memory()
  #endif
}
