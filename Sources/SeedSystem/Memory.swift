#if os(Linux)
internal import CLinux
#endif

/// Gives the process's free memory back to the system. Takes milliseconds, in which other threads may wait for memory.
package func returnFreeMemory() {
  #if os(Linux)
  seedbank_return_memory()
  #endif
}
