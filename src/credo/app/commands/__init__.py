"""The commands of `credo`, a file a family. Each reads its options, calls the library and says what came out."""
