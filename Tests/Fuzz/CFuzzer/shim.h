// libFuzzer's entry, which no header of the compiler declares: SwiftPM wants a `main` of ours that calls it.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
