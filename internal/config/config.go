package config

import (
	"path/filepath"
	"time"
)

// AutoMemory means the memory limit of the control group or machine.
const AutoMemory = -1

// Blob configures the S3 storage of files. Without a URL, files are in FilesPath.
type Blob struct {
	URL       string
	AccessKey string
	SecretKey string // secret
}

// Replicas configures the database's streaming replicas.
type Replicas struct {
	URLs   []string // secret
	MaxLag time.Duration
}

// Backup configures scheduled backups and the keys of a bucket for backups. Without To there are no
// scheduled backups.
type Backup struct {
	To        string // a folder, or s3://…
	Every     time.Duration
	Keep      int
	AccessKey string
	SecretKey string // secret
}

// FilesPath returns the folder for files if there is no S3 storage.
func (c Config) FilesPath() string { return filepath.Join(c.DataDir, "files") }

// TrashKept returns how long deleted things can be restored; 0 means not at all.
func (c Config) TrashKept() time.Duration { return time.Duration(c.TrashDays) * 24 * time.Hour }

// StagingPath returns the folder for files that are being received.
func (c Config) StagingPath() string { return filepath.Join(c.DataDir, "staging") }

// ProvidersPath returns the path of a list of oEmbed providers that replaces the built-in one, if
// the file exists.
func (c Config) ProvidersPath() string { return filepath.Join(c.DataDir, "oembed-providers.json") }

// OutboxPath returns the folder for mails if there is no mail server.
func (c Config) OutboxPath() string { return filepath.Join(c.DataDir, "outbox") }

// SQLitePath returns the path of the SQLite database.
func (c Config) SQLitePath() string { return filepath.Join(c.DataDir, "vitrine.db") }

// tiers returns the tiers in rising order.
func tiers() []string { return []string{"guest", "free", "premium", "supporter"} }
