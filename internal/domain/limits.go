package domain

// Limits that the description states too; here for callers that do not come
// through it (the command line, jobs).
const (
	MaxTitle    = 255     // characters
	MaxMarkdown = 200_000 // characters of a text block
	MaxTargets  = 20      // channels in one request
	MaxBatch    = 50      // blocks in one batch
	MaxURL      = 4_096   // bytes
	MaxUnread   = 1_000   // notifications of a user; older ones count as read
)
