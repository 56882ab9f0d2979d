package config

import (
	"io/fs"
	"net/netip"
	"path/filepath"
	"time"
)

// Config holds all settings, checked and typed. Commands that only have the Common flags leave the
// others at zero.
type Config struct {
	DataDir           string
	DatabaseURL       string // secret; empty for SQLite
	DatabaseDirectURL string // secret; empty without a pooler
	SQLiteSynchronous string // full or normal
	DefaultTier       string // free, premium or supporter
	LogFormat         string // text or json
	LogLevel          string // debug, info, warn or error

	Addr            string // host:port, or unix:/path
	SocketMode      fs.FileMode
	BaseURL         string // absolute, no slash at the end
	SiteURL         string // absolute, no slash at the end
	TLS             TLS
	RateLimits      map[string]int // requests per minute for every tier; 0 is unlimited
	Replicas        Replicas
	RedisURL        string // secret; empty: each server counts for itself
	TrustedProxies  []netip.Prefix
	RequestTimeout  time.Duration
	BodyLimit       int64 // bytes
	ShutdownTimeout time.Duration
	WaitFor         time.Duration // for PostgreSQL and S3 at start; may be 0
	DrainDelay      time.Duration // may be 0
	ResponseMemory  int64         // bytes
	CacheSize       int64         // bytes; 0 for no cache
	MinSendRate     int64         // bytes a second
	InvitationTTL   time.Duration
	AuditKeep       time.Duration // 0 to keep entries forever
	MetricsAddr     string        // like Addr; empty for none
	Traces          Traces
	Work            bool // whether a server also works jobs
	JobConcurrency  int
	JobTimeout      time.Duration
	FilesURL        string // absolute, no slash at the end
	Blob            Blob
	UploadLimit     int64            // bytes
	QuotaUnused     map[string]int64 // bytes for every tier except guest; 0 is unlimited
	Quota           map[string]int64 // like QuotaUnused
	DiskReserve     DiskReserve
	KeepMetadata    bool // serve photographs with all their metadata
	FetchAllow      []netip.Prefix
	Language        string // language tags, separated by commas, the best one first
	ImageMemory     int64  // bytes
	MemoryLimit     int64  // bytes, AutoMemory, or 0 for none
	Backup          Backup
	SMTP            *SMTP  // nil: mails are written to OutboxPath
	MailFrom        string // "Name <address>" or an address

	SignUp            string   // open, invitation or closed; empty: an operator chooses
	SetupCode         string   // secret; empty: the server generates one
	OAuthRegistration bool     // applications may register themselves
	GuestsClosed      bool     // guests do not see collections
	IndexClosed       bool     // search engines may index closed channels
	SecurityContacts  []string // URIs; empty: no security.txt
	OIDC              OIDC
}

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
