// SeedMirror: mirrors a publication to a bucket of an object store, through libcurl. Optional in a build.
//
// Rules of this module:
// - Only BucketConnection.swift calls libcurl, which also signs each request (AWS Signature Version 4).
// - Each request has a header with the SHA-256 of its body. Without it, libcurl's signature would be wrong.
// - Redirects are not followed, because a signature is valid for one host. Query parameters are sorted, and object
//   names have only unreserved characters and slashes, so that both sides sign the same text.
// - Credentials come from the environment or a file, and never appear in messages, arguments or logs.
