package config

import (
	"io/fs"
	"net/netip"
	"path/filepath"
	"time"
)

// Config is every setting, checked and typed. Commands that take only the
// Common flags leave the rest at zero.
type Config struct {
	DataDir           string
	DatabaseURL       string // secret; empty for SQLite
	DatabaseDirectURL string // secret; empty where there is no pooler
	SQLiteSynchronous string // full or normal
	DefaultTier       string // free, premium or supporter
	LogFormat         string // text or json
	LogLevel          string // debug, info, warn or error

	Addr            string // host:port, or unix:/path
	SocketMode      fs.FileMode
	BaseURL         string // absolute, no slash at the end
	SiteURL         string // absolute, no slash at the end
	TLS             TLS
	RateLimits      map[string]int // requests per minute by tier, 0 unlimited; all tiers are there
	Replicas        Replicas
	RedisURL        string // secret; empty for limits of each server
	TrustedProxies  []netip.Prefix
	RequestTimeout  time.Duration
	BodyLimit       int64 // bytes
	ShutdownTimeout time.Duration
	WaitFor         time.Duration // for what a start needs; may be 0
	DrainDelay      time.Duration // may be 0
	ResponseMemory  int64         // bytes
	CacheSize       int64         // bytes, 0 for no cache
	MinSendRate     int64         // bytes a second
	InvitationTTL   time.Duration
	AuditKeep       time.Duration // 0 for good
	MetricsAddr     string        // like Addr; empty: no such listener
	Traces          Traces
	Work            bool // a server works jobs, too
	JobConcurrency  int
	JobTimeout      time.Duration
	FilesURL        string // absolute, no slash at the end
	Blob            Blob
	UploadLimit     int64            // bytes
	QuotaUnused     map[string]int64 // bytes by tier, 0 unlimited; all tiers but guest are there
	Quota           map[string]int64 // the same
	DiskReserve     DiskReserve
	KeepMetadata    bool // photographs are served with all their metadata
	FetchAllow      []netip.Prefix
	Language        string // language tags, separated by commas, the best one first
	ImageMemory     int64  // bytes
	MemoryLimit     int64  // bytes, AutoMemory, or 0 for none
	Backup          Backup
	SMTP            *SMTP  // nil: mails are kept in OutboxPath
	MailFrom        string // "Name <address>" or an address

	SignUp            string   // open, invitation or closed; empty: an operator chooses
	SetupCode         string   // secret; empty: the server generates one
	OAuthRegistration bool     // applications may register themselves
	GuestsClosed      bool     // guests see nothing of collections
	IndexClosed       bool     // search engines may index closed channels
	SecurityContacts  []string // URIs; empty: no security.txt
	OIDC              OIDC
}

// AutoMemory is the memory limit that the control group or the machine sets.
const AutoMemory = -1

// Blob is the S3 storage of files. Without a URL they are in FilesPath.
type Blob struct {
	URL       string
	AccessKey string
	SecretKey string // secret
}

// Replicas are standbys of the database.
type Replicas struct {
	URLs   []string // secret
	MaxLag time.Duration
}

// Backup is where backups are kept in a bucket, and where they are made regularly: nowhere
// if To is empty.
type Backup struct {
	To        string // a folder, or s3://…
	Every     time.Duration
	Keep      int
	AccessKey string
	SecretKey string // secret
}

// FilesPath is the folder of files where there is no other storage.
func (c Config) FilesPath() string { return filepath.Join(c.DataDir, "files") }

// StagingPath is the folder of files that are being received.
func (c Config) StagingPath() string { return filepath.Join(c.DataDir, "staging") }

// ProvidersPath is the list of oEmbed providers that is used in place of the one
// built in, where there is such a file.
func (c Config) ProvidersPath() string { return filepath.Join(c.DataDir, "oembed-providers.json") }

// OutboxPath is the folder of mails where there is no server to send them by.
func (c Config) OutboxPath() string { return filepath.Join(c.DataDir, "outbox") }

// SQLitePath is where the SQLite database lies.
func (c Config) SQLitePath() string { return filepath.Join(c.DataDir, "vitrine.db") }

// tiers are the names that rate limits are given for, in rising order.
func tiers() []string { return []string{"guest", "free", "premium", "supporter"} }
