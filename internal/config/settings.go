package config

import (
	"io/fs"
	"net/netip"
	"strconv"
	"time"
)

// Config holds all settings, checked and typed. Commands that only have the Common flags leave the
// others at zero.
type Config struct {
	DataDir           string
	DatabaseURL       string // secret; empty for SQLite
	DatabaseDirectURL string // secret; empty without a pooler
	SQLiteSynchronous string // full or normal
	SQLiteAnyDisk     bool   // also on network file systems
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
	MaxStreams      int           // requests that wait for changes
	InvitationTTL   time.Duration
	AuditKeep       time.Duration // 0 to keep entries forever
	MetricsAddr     string        // like Addr; empty for none
	Traces          Traces
	Work            bool // whether a server also works jobs
	JobConcurrency  int
	JobTimeout      time.Duration
	FilesURL        string // absolute, no slash at the end
	Blob            Blob
	UploadLimit     int64             // bytes
	QuotaUnused     map[string]int64  // bytes for every tier except guest; 0 is unlimited
	Quota           map[string]int64  // like QuotaUnused
	Snapshots       string            // when this server takes copies of pages
	SnapshotSites   map[string]string // Snapshots by host of the pages
	BrowserURL      string            // of a browser that renders the pages; "": none
	SnapshotLimit   int64             // bytes
	SnapshotQuota   map[string]int64  // like QuotaUnused
	DiskReserve     DiskReserve
	FFmpeg          string // program that takes pictures of videos, "" for none
	KeepMetadata    bool   // serve photographs with all their metadata
	FetchAllow      []netip.Prefix
	WebhookHosts    PrivateHosts // to which webhooks may send, although they are private
	TrashDays       int          // how long deleted things can be restored; 0: not at all
	LinkChecks      bool         // find out which links lead nowhere
	Archive         string       // address of copies in a web archive, with {time} and {url}; "": none
	Language        string       // language tags, separated by commas, the best one first
	ImageMemory     int64        // bytes
	MemoryLimit     int64        // bytes, AutoMemory, or 0 for none
	Backup          Backup
	Embeddings      Embeddings
	SMTP            *SMTP  // nil: mails are written to OutboxPath
	MailFrom        string // "Name <address>" or an address
	MailIn          MailIn

	SignUp            string   // open, invitation or closed; empty: an operator chooses
	SetupCode         string   // secret; empty: the server generates one
	OAuthRegistration bool     // applications may register themselves
	BrowserExtension  bool     // people may sign in with the browser extension
	MCP               bool     // assistants may connect at /mcp
	GuestsClosed      bool     // guests do not see collections
	IndexClosed       bool     // search engines may index closed channels
	SecurityContacts  []string // URIs; empty: no security.txt
	OIDC              OIDC
}

// Topics of the help, the manual and the documentation.
const (
	topicConfiguration = "Configuration file"
	topicData          = "Data"
	topicAddresses     = "Addresses"
	topicTLS           = "TLS"
	topicFiles         = "Files"
	topicSearch        = "Search by meaning"
	topicBackups       = "Backups"
	topicMail          = "Mail"
	topicPeople        = "People"
	topicLimits        = "Limits"
	topicJobs          = "Jobs, starting and stopping"
	topicLogs          = "Log, metrics and traces"
)

// Topics returns the topics in display order.
func Topics() []string {
	return []string{topicConfiguration, topicData, topicAddresses, topicTLS, topicFiles, topicSearch, topicBackups, topicMail, topicPeople, topicLimits, topicJobs, topicLogs}
}

// settings declares all settings. Problems are reported in this order.
var settings = []Declaration{
	{Flag: configFlag, Topic: topicConfiguration, Common: true, Placeholder: "FILE",
		Help: "TOML file with settings, such as log-level = \"warn\". Flags and environment variables take precedence over it.",
		See:  "[Configuration file](#configuration-file)"},
	{Flag: "data-dir", Topic: topicData, Common: true, Default: "./data", Placeholder: "DIR",
		Help: "Folder for the SQLite database and all other data.",
		kind: text(func(c *Config) *string { return &c.DataDir })},
	{Flag: "database-url", Topic: topicData, Common: true, Placeholder: "URL",
		Help:     "postgres://user:password@host/name; empty for SQLite in the data folder.",
		FileHelp: "File with the database URL, instead of --database-url.",
		kind:     checked(func(c *Config) *string { return &c.DatabaseURL }, checkDatabaseURL).secret(redactURL)},
	{Flag: "database-direct-url", Topic: topicData, Common: true, Placeholder: "URL",
		Help:     "URL of PostgreSQL itself, if --database-url is that of PgBouncer or another pooler in transaction mode.",
		FileHelp: "File with that URL, instead of --database-direct-url.",
		See:      "[Many connections](operations.md#many-connections)",
		kind:     checked(func(c *Config) *string { return &c.DatabaseDirectURL }, checkDatabaseURL).secret(redactURL)},
	{Flag: "sqlite-synchronous", Topic: topicData, Common: true, Default: "full",
		Help: "full: committed writes survive a power cut; normal: faster, but the last writes may be lost.",
		kind: choice(func(c *Config) *string { return &c.SQLiteSynchronous }, "full", "normal")},
	{Flag: "sqlite-any-disk", Topic: topicData, Common: true, Default: "false", Placeholder: "BOOL",
		Help: "Whether SQLite may be on a network file system (NFS, SMB, 9p, sshfs), where locks and shared memory do not work reliably and the database can be damaged: true or false.",
		See:  "[File systems](#file-systems)",
		kind: boolean(func(c *Config) *bool { return &c.SQLiteAnyDisk })},
	{Flag: "default-tier", Topic: topicPeople, Common: true, Default: "supporter", Placeholder: "TIER",
		Help: "Tier of new accounts: free, premium or supporter.",
		kind: choice(func(c *Config) *string { return &c.DefaultTier }, tiers()[1:]...)},
	{Flag: "log-format", Topic: topicLogs, Common: true, Default: "text",
		Help: "text or json.",
		kind: choice(func(c *Config) *string { return &c.LogFormat }, "text", "json")},
	{Flag: "log-level", Reloads: true, Topic: topicLogs, Common: true, Default: "info",
		Help: "debug, info, warn or error.",
		kind: choice(func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error")},
	{Flag: "addr", Topic: topicAddresses, Placeholder: "HOST:PORT",
		Help: "Address to listen on: HOST:PORT, or unix:/path of a Unix socket for a proxy on this machine. By default 127.0.0.1:8080, or :443 with --tls-domain.",
		See:  "[On a Unix socket](#on-a-unix-socket)",
		kind: checked(func(c *Config) *string { return &c.Addr }, checkListener)},
	{Flag: "socket-mode", Topic: topicAddresses, Default: "0660", Placeholder: "MODE",
		Help: "Permissions of Unix sockets, in octal. Only the proxy should be able to write to the --addr socket, because its headers are trusted.",
		kind: field(func(c *Config) *fs.FileMode { return &c.SocketMode }, parseFileMode, formatFileMode)},
	{Flag: "base-url", Topic: topicAddresses, Placeholder: "URL",
		Help: "Public address of the API, without a slash at the end; it may have a path, such as https://example.org/vitrine. By default https:// and the first --tls-domain, or the site URL, or http:// and the listen address.",
		See:  "[Below a path](#below-a-path)",
		kind: checked(func(c *Config) *string { return &c.BaseURL }, checkPublicURL)},
	{Flag: "site-url", Topic: topicAddresses, Placeholder: "URL",
		Help: "Public address of the website, without a slash at the end; it may have a path, such as https://example.org/vitrine. By default https:// and the first --tls-domain, or the base URL, or http:// and the listen address.",
		kind: checked(func(c *Config) *string { return &c.SiteURL }, checkPublicURL)},
	{Flag: "tls-domain", Topic: topicTLS, Placeholder: "NAME,…",
		Help: "Domains for which this server obtains and renews certificates. Without them, a proxy has to terminate TLS.",
		kind: field(func(c *Config) *[]string { return &c.TLS.Domains }, parseDomains, joinTexts)},
	{Flag: "tls-email", Topic: topicTLS, Placeholder: "ADDRESS",
		Help: "Contact address for the certificate authority.",
		kind: checked(func(c *Config) *string { return &c.TLS.Email }, checkTLSEmail)},
	{Flag: "tls-http-addr", Topic: topicTLS, Placeholder: "HOST:PORT",
		Help: "Second address to listen on with --tls-domain, for the authority's challenges and redirects from http:// to https://; none for no such listener. By default :80.",
		kind: kind{parse: parseHTTPAddr, print: func(c *Config) string { return c.TLS.printHTTPAddr() }}},
	{Flag: "tls-directory-url", Topic: topicTLS, Placeholder: "URL",
		Help: "ACME directory of the certificate authority. By default Let's Encrypt.",
		kind: checked(func(c *Config) *string { return &c.TLS.DirectoryURL }, checkDirectoryURL)},
	{Flag: "tls-directory-ca", Topic: topicTLS, Placeholder: "FILE",
		Help: "PEM file with the CA certificates of the directory's server, for a private authority.",
		kind: text(func(c *Config) *string { return &c.TLS.DirectoryCA })},
	{Flag: "rate-limits", Reloads: true, Topic: topicLimits, Default: "guest=30,free=120,premium=300,supporter=600", Placeholder: "TIER=N,…",
		Help: "Requests per minute by tier; 0 is unlimited, a missing tier keeps its default.",
		kind: rateLimits(func(c *Config) *map[string]int { return &c.RateLimits })},
	{Flag: "trusted-proxies", Topic: topicAddresses, Placeholder: "CIDR,…",
		Help: "Addresses and networks of reverse proxies whose X-Forwarded-For, X-Forwarded-Prefix and X-Request-Id are trusted. A proxy on a Unix socket is always trusted.",
		See:  "[Behind a proxy](#behind-a-proxy)",
		kind: field(func(c *Config) *[]netip.Prefix { return &c.TrustedProxies }, parsePrefixes, formatPrefixes)},
	{Flag: "request-timeout", Topic: topicLimits, Default: "15s", Placeholder: "DURATION",
		Help: "A request that takes longer is cancelled, including its database queries, and gets 408.",
		kind: duration(func(c *Config) *time.Duration { return &c.RequestTimeout })},
	{Flag: "body-limit", Topic: topicLimits, Default: "1MiB", Placeholder: "SIZE",
		Help: "Largest request body, in bytes or with KiB, MiB or GiB.",
		kind: size(func(c *Config) *int64 { return &c.BodyLimit })},
	{Flag: "shutdown-timeout", Topic: topicJobs, Default: "30s", Placeholder: "DURATION",
		Help: "How long requests and jobs in progress may take to finish when the server stops.",
		kind: duration(func(c *Config) *time.Duration { return &c.ShutdownTimeout })},
	{Flag: "database-replica-urls", Topic: topicData, Placeholder: "URL,…",
		Help:     "Streaming replicas of the PostgreSQL database for reads that may be slightly old. Users always see their own writes. Replicas that are unreachable or too far behind are skipped.",
		FileHelp: "File with the URLs of the replicas, on one line or several, instead of --database-replica-urls.",
		See:      "[Replicas](#replicas)",
		kind:     field(func(c *Config) *[]string { return &c.Replicas.URLs }, parseReplicas, joinTexts).secret(redactURLs)},
	{Flag: "database-replica-max-lag", Topic: topicData, Default: "5s", Placeholder: "DURATION",
		Help: "How far behind the primary a replica may be, at least 1s.",
		kind: field(func(c *Config) *time.Duration { return &c.Replicas.MaxLag }, parseMaxLag, time.Duration.String)},
	{Flag: "redis-url", Topic: topicLimits, Placeholder: "URL",
		Help:     "redis://user:password@host:6379 or rediss:// (TLS), of Redis or Valkey, to share rate limits between servers. Without it, each server counts separately.",
		FileHelp: "File with the URL of Redis, instead of --redis-url.",
		See:      "[Several servers](#several-servers)",
		kind:     text(func(c *Config) *string { return &c.RedisURL }).secret(redactURL)},
	{Flag: "wait-for", Topic: topicJobs, Default: "1m", Placeholder: "DURATION",
		Help: "How long to wait at start for PostgreSQL and S3 if they are unreachable; 0s to fail immediately.",
		kind: delay(func(c *Config) *time.Duration { return &c.WaitFor })},
	{Flag: "drain-delay", Topic: topicJobs, Default: "0s", Placeholder: "DURATION",
		Help: "How long a stopping server still accepts requests while /readyz already responds 503, so that load balancers notice.",
		kind: delay(func(c *Config) *time.Duration { return &c.DrainDelay })},
	{Flag: "response-memory", Topic: topicLimits, Default: "64MiB", Placeholder: "SIZE",
		Help: "Memory for request bodies and for responses, except small ones; requests that would exceed it get 503.",
		kind: size(func(c *Config) *int64 { return &c.ResponseMemory })},
	{Flag: "cache-size", Topic: topicLimits, Default: "32MiB", Placeholder: "SIZE",
		Help: "Memory for cached parts of responses and pages; 0 for none.",
		kind: field(func(c *Config) *int64 { return &c.CacheSize }, parseSizeOrNone, formatSize)},
	{Flag: "min-send-rate", Topic: topicLimits, Default: "4KiB", Placeholder: "SIZE",
		Help: "Minimum average rate, in bytes per second, at which a client must read a response before its connection is closed.",
		kind: size(func(c *Config) *int64 { return &c.MinSendRate })},
	{Flag: "max-streams", Topic: topicLimits, Default: "3000", Placeholder: "N",
		Help: "How many requests may wait for changes at this server at once, such as open pages of the website; 16 of them for each user, application or guest's address. Further ones get 503.",
		kind: field(func(c *Config) *int { return &c.MaxStreams }, parseStreams, strconv.Itoa)},
	{Flag: "metrics-addr", Topic: topicLogs, Placeholder: "HOST:PORT",
		Help: "Address of a second listener for metrics and profiles, HOST:PORT or unix:/path; empty for none. Keep it private.",
		kind: checked(func(c *Config) *string { return &c.MetricsAddr }, checkListener)},
	{Flag: "otel-endpoint", Topic: topicLogs, Placeholder: "URL",
		Help: "Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, to send traces of requests and jobs to (OTLP over HTTP, JSON); empty for none.",
		See:  "[Traces](#traces)",
		kind: checked(func(c *Config) *string { return &c.Traces.Endpoint }, checkEndpoint)},
	{Flag: "otel-headers-file", Topic: topicLogs, Placeholder: "FILE",
		Help: "File with headers to send to the collector, such as a token, one Name: value per line.",
		kind: text(func(c *Config) *string { return &c.Traces.HeadersFile })},
	{Flag: "otel-sample-ratio", Topic: topicLogs, Default: "1", Placeholder: "RATIO",
		Help: "Share of traces to record, 0 to 1. Requests from --trusted-proxies with a traceparent header follow its sampling flag instead.",
		kind: field(func(c *Config) *float64 { return &c.Traces.Ratio }, parseRatio, formatRatio)},
	{Flag: "audit-keep", Topic: topicLogs, Default: "8760h", Placeholder: "DURATION",
		Help: "How long to keep entries of the audit log, at least 720h; 0s keeps them forever.",
		kind: field(func(c *Config) *time.Duration { return &c.AuditKeep }, parseAuditKeep, time.Duration.String)},
	{Flag: "invitation-ttl", Topic: topicPeople, Default: "336h", Placeholder: "DURATION",
		Help: "How long an invitation to a group can be accepted.",
		kind: duration(func(c *Config) *time.Duration { return &c.InvitationTTL })},
	{Flag: "work", Topic: topicJobs, Default: "true", Placeholder: "BOOL",
		Help: "Whether this server also runs jobs: true, or false if vitrine work does.",
		kind: boolean(func(c *Config) *bool { return &c.Work })},
	{Flag: "job-concurrency", Topic: topicJobs, Default: "4", Placeholder: "N",
		Help: "How many blocks this server processes at once, at least 2; one user gets at most half. Two mails and three other jobs, such as batches, can run at the same time.",
		kind: count(func(c *Config) *int { return &c.JobConcurrency })},
	{Flag: "job-timeout", Topic: topicJobs, Default: "3m", Placeholder: "DURATION",
		Help: "How long one job may take. A job that takes 30 seconds longer is assumed to hang and is started again.",
		kind: duration(func(c *Config) *time.Duration { return &c.JobTimeout })},
	{Flag: "files-url", Topic: topicAddresses, Placeholder: "URL",
		Help: "Public address of uploaded files and images, without a slash at the end, for example of a cache in front of this server. By default the base URL.",
		kind: checked(func(c *Config) *string { return &c.FilesURL }, checkPublicURL)},
	{Flag: "blob-url", Topic: topicFiles, Placeholder: "URL",
		Help: "s3://bucket/prefix?endpoint=https://host&region=name for files; empty for files/ in the data folder.",
		kind: text(func(c *Config) *string { return &c.Blob.URL }).secret(redactURL)},
	{Flag: "blob-access-key", Topic: topicFiles, Placeholder: "KEY",
		Help: "Access key of the S3 storage.",
		kind: text(func(c *Config) *string { return &c.Blob.AccessKey })},
	{Flag: "blob-secret-key", Topic: topicFiles, Placeholder: "KEY",
		Help:     "Secret key of the S3 storage. On the command line, other users of this machine can see it.",
		FileHelp: "File with the secret key of the S3 storage.",
		kind:     text(func(c *Config) *string { return &c.Blob.SecretKey }).secret(redactText)},
	{Flag: "upload-limit", Topic: topicFiles, Default: "1GiB", Placeholder: "SIZE",
		Help: "Largest file that can be uploaded or fetched.",
		kind: size(func(c *Config) *int64 { return &c.UploadLimit })},
	{Flag: "quota-unused", Topic: topicFiles, Default: "free=2GiB,premium=4GiB,supporter=4GiB", Placeholder: "TIER=SIZE,…",
		Help: "How much users of each tier may have in uploads that are not in a block yet; 0 is unlimited, a missing tier keeps its default.",
		kind: quota(func(c *Config) *map[string]int64 { return &c.QuotaUnused })},
	{Flag: "quota", Topic: topicFiles, Default: "free=5GiB,premium=50GiB,supporter=500GiB", Placeholder: "TIER=SIZE,…",
		Help: "How much users of each tier may store in uploads, files, images and texts (each byte of text counts twice); 0 is unlimited, a missing tier keeps its default.",
		kind: quota(func(c *Config) *map[string]int64 { return &c.Quota })},
	{Flag: "snapshots", Topic: topicFiles, Default: "on-request", Placeholder: "WHEN",
		Help: "When this server saves copies of pages itself: never, on-request (when the owner of a block asks for one) or always (also once for every new link).",
		See:  "[Saved copies of pages](operators.md#saved-copies-of-pages)",
		kind: choice(func(c *Config) *string { return &c.Snapshots }, snapshotPolicies...)},
	{Flag: "snapshot-sites", Topic: topicFiles, Placeholder: "HOST=WHEN,…",
		Help: "When this server saves copies of the pages of these hosts and the hosts below them, such as example.com=never; neither this nor anybody's choice overrides --snapshots=never.",
		See:  "[Saved copies of pages](operators.md#saved-copies-of-pages)",
		kind: field(func(c *Config) *map[string]string { return &c.SnapshotSites }, parseSnapshotSites, formatSnapshotSites)},
	{Flag: "browser-url", Topic: topicFiles, Placeholder: "URL",
		Help: "http:// or ws:// address of a headless Chromium (Chrome DevTools Protocol), which renders pages before this server copies them, and takes pictures of them; empty for none.",
		See:  "[A browser for saved copies](operators.md#a-browser-for-saved-copies)",
		kind: checked(func(c *Config) *string { return &c.BrowserURL }, checkBrowser)},
	{Flag: "snapshot-limit", Topic: topicFiles, Default: "50MiB", Placeholder: "SIZE",
		Help: "Largest saved copy of a page.",
		See:  "[Saved copies of pages](operators.md#saved-copies-of-pages)",
		kind: size(func(c *Config) *int64 { return &c.SnapshotLimit })},
	{Flag: "snapshot-quota", Topic: topicFiles, Default: "free=1GiB,premium=10GiB,supporter=100GiB", Placeholder: "TIER=SIZE,…",
		Help: "How much users of each tier may store in saved copies of pages, which do not count towards --quota; 0 is unlimited, a missing tier keeps its default.",
		kind: quota(func(c *Config) *map[string]int64 { return &c.SnapshotQuota })},
	{Flag: "disk-reserve", Topic: topicFiles, Default: "512MiB", Placeholder: "SIZE",
		Help: "Free disk space below which this server refuses uploads and is not ready: a size, a share of the disk such as 5%, or 0 for none.",
		kind: field(func(c *Config) *DiskReserve { return &c.DiskReserve }, parseDiskReserve, DiskReserve.String)},
	{Flag: "ffmpeg", Topic: topicFiles, Placeholder: "PATH",
		Help: "Path of ffmpeg, version 5 or later, which takes pictures of videos that arrive without one; empty for none.",
		See:  "[Videos](#videos)",
		kind: checked(func(c *Config) *string { return &c.FFmpeg }, checkProgram)},
	{Flag: "keep-metadata", Topic: topicFiles, Default: "false", Placeholder: "BOOL",
		Help: "Whether photographs and videos are served with all their metadata, such as the location: true, or false to remove everything except orientation, colour profile and capture date.",
		See:  "[Privacy](privacy.md)",
		kind: boolean(func(c *Config) *bool { return &c.KeepMetadata })},
	{Flag: "fetch-allow", Topic: topicFiles, Placeholder: "CIDR,…",
		Help: "Private addresses and networks, such as an intranet, that content may be fetched from. By default only public addresses.",
		kind: field(func(c *Config) *[]netip.Prefix { return &c.FetchAllow }, parsePrefixes, formatPrefixes)},
	{Flag: "webhook-hosts", Topic: topicFiles, Placeholder: "HOST,…",
		Help: "Private hosts, addresses and networks that webhooks of users may send to, such as bot.internal or 10.0.0.0/8. By default only public addresses.",
		See:  "[Webhooks](webhooks.md)",
		kind: field(func(c *Config) *PrivateHosts { return &c.WebhookHosts }, parsePrivateHosts, formatPrivateHosts)},
	{Flag: "trash-days", Topic: topicFiles, Default: "30", Placeholder: "DAYS",
		Help: "How many days deleted blocks, channels and comments stay in Trash, where their owners can restore them; 0 deletes them at once.",
		See:  "[Trash](operators.md#trash)",
		kind: field(func(c *Config) *int { return &c.TrashDays }, parseTrashDays, strconv.Itoa)},
	{Flag: "link-checks", Topic: topicFiles, Default: "true", Placeholder: "BOOL",
		Help: "Whether the pages of links are requested again, every 30 to 180 days, to mark links that lead nowhere: true or false.",
		See:  "[Links that lead nowhere](operators.md#links-that-lead-nowhere)",
		kind: boolean(func(c *Config) *bool { return &c.LinkChecks })},
	{Flag: "archive-url", Topic: topicFiles, Default: "https://web.archive.org/web/{time}/{url}", Placeholder: "URL",
		Help: "Address of copies of pages in a web archive, offered for links that lead nowhere, with {time} (YYYYMMDDhhmmss) and {url}, or off.",
		kind: field(func(c *Config) *string { return &c.Archive }, parseArchive, formatArchive)},
	{Flag: "language", Topic: topicFiles, Default: "en", Placeholder: "TAG,…",
		Help: "Languages of this site, in order of preference, such as de-AT,en. Linked pages are fetched in the first one that they support. Visitors whose browser requests no supported language see the website in the first one that it supports.",
		kind: field(func(c *Config) *string { return &c.Language }, parseLanguages, asIs)},
	{Flag: "image-memory", Topic: topicLimits, Default: "128MiB", Placeholder: "SIZE",
		Help: "Memory for resizing images; the total is at most twice as much.",
		kind: size(func(c *Config) *int64 { return &c.ImageMemory })},
	{Flag: "memory-limit", Topic: topicLimits, Default: "auto", Placeholder: "SIZE",
		Help: "Memory that this process may use, three quarters of it as Go's soft limit: auto (the limit of the control group, or else the machine's memory), a size, or off. GOMEMLIMIT takes precedence.",
		kind: field(func(c *Config) *int64 { return &c.MemoryLimit }, parseMemoryLimit, formatMemoryLimit)},
	{Flag: "embeddings-url", Topic: topicSearch, Placeholder: "URL",
		Help: "Address of an OpenAI-compatible endpoint that computes vectors of texts, such as http://127.0.0.1:11434/v1/embeddings, to also find blocks by meaning. The texts of public blocks, and queries on the website, are sent there. Empty for none.",
		See:  "[Search by meaning](#search-by-meaning)",
		kind: checked(func(c *Config) *string { return &c.Embeddings.URL }, checkEmbeddingsURL)},
	{Flag: "embeddings-model", Topic: topicSearch, Placeholder: "NAME",
		Help: "Model that the endpoint uses, such as nomic-embed-text. Another model means computing all vectors again.",
		kind: checked(func(c *Config) *string { return &c.Embeddings.Model }, checkEmbeddingsModel)},
	{Flag: "embeddings-key", Topic: topicSearch, Placeholder: "KEY",
		Help:     "Key for the endpoint, sent as a bearer token. On the command line, other users of this machine can see it.",
		FileHelp: "File with the key for the endpoint.",
		kind:     checked(func(c *Config) *string { return &c.Embeddings.Key }, checkEmbeddingsKey).secret(redactText)},
	{Flag: "embeddings-private", Topic: topicSearch, Default: "false", Placeholder: "BOOL",
		Help: "Whether the texts of private blocks are also sent to the endpoint.",
		See:  "[Privacy](privacy.md)",
		kind: boolean(func(c *Config) *bool { return &c.Embeddings.Private })},
	{Flag: "backup-to", Topic: topicBackups, Placeholder: "PATH",
		Help: "Folder, or s3://bucket/prefix?endpoint=https://host&region=name, for scheduled backups; empty for none.",
		See:  "[Backups](backup.md)",
		kind: checked(func(c *Config) *string { return &c.Backup.To }, checkBackupTo).secret(redactBucket)},
	{Flag: "backup-every", Topic: topicBackups, Default: "24h", Placeholder: "DURATION",
		Help: "How often.",
		kind: field(func(c *Config) *time.Duration { return &c.Backup.Every }, parseBackupEvery, time.Duration.String)},
	{Flag: "backup-keep", Topic: topicBackups, Default: "14", Placeholder: "N",
		Help: "How many backups to keep.",
		kind: count(func(c *Config) *int { return &c.Backup.Keep })},
	{Flag: "backup-access-key", Topic: topicBackups, Placeholder: "KEY",
		Help: "Access key of the S3 storage for backups. By default that of the files.",
		kind: text(func(c *Config) *string { return &c.Backup.AccessKey })},
	{Flag: "backup-secret-key", Topic: topicBackups, Placeholder: "KEY",
		Help:     "Secret key of the S3 storage for backups. On the command line, other users of this machine can see it.",
		FileHelp: "File with the secret key of the S3 storage for backups.",
		kind:     text(func(c *Config) *string { return &c.Backup.SecretKey }).secret(redactText)},
	{Flag: "mail-from", Reloads: true, Topic: topicMail, Placeholder: "ADDRESS",
		Help: "Sender of mails. By default no-reply at the website's host.",
		kind: checked(func(c *Config) *string { return &c.MailFrom }, checkSender)},
	{Flag: "mail-in", Topic: topicMail, Placeholder: "SOURCE",
		Help: "From where mails for channels come: lmtp://127.0.0.1:2424 or unix:PATH to listen for LMTP, or the path of a Maildir.",
		See:  "[Newsletters in channels](#newsletters-in-channels)",
		kind: kind{parse: parseMailIn, print: printMailIn}},
	{Flag: "mail-in-domain", Topic: topicMail, Placeholder: "DOMAIN",
		Help: "Domain of the mail addresses of channels. Required with --mail-in.",
		kind: checked(func(c *Config) *string { return &c.MailIn.Domain }, checkMailDomain)},
	{Flag: "smtp-url", Reloads: true, Topic: topicMail, Placeholder: "URL",
		Help: "smtp://user@host:587 (STARTTLS is required unless the host is this machine; ?starttls=required or never) or smtps://user@host:465. Without it, mails are written to outbox/ in the data folder.",
		kind: field(func(c *Config) **SMTP { return &c.SMTP }, parseSMTP, (*SMTP).URL)},
	{Flag: "smtp-password", Reloads: true, Topic: topicMail, Placeholder: "PASSWORD",
		Help:     "Password for the SMTP server. On the command line, other users of this machine can see it.",
		FileHelp: "File with the password for the SMTP server.",
		kind:     kind{print: func(c *Config) string { return c.SMTP.password() }}.secret(redactText)},
	{Flag: "signup", Topic: topicPeople, Placeholder: "MODE",
		Help: "Who may create an account on the website: open (anyone), invitation (with a link from an operator or a group) or closed. Without it, an operator chooses on the website; the initial choice is invitation. The first account can always be created.",
		kind: choice(func(c *Config) *string { return &c.SignUp }, "open", "invitation", "closed")},
	{Flag: "setup-code", Topic: topicPeople, Placeholder: "CODE",
		Help:     "Code of at least 12 characters that is required to create the first account, the operator's. By default, a server that other machines can reach generates one and prints it to its log.",
		FileHelp: "File that contains the setup code, instead of --setup-code.",
		kind:     checked(func(c *Config) *string { return &c.SetupCode }, checkSetupCode).secret(redactText)},
	{Flag: "oauth-registration", Topic: topicPeople, Default: "false", Placeholder: "BOOL",
		Help: "Whether applications may register themselves at /ext/v1/oauth/register (RFC 7591).",
		kind: boolean(func(c *Config) *bool { return &c.OAuthRegistration })},
	{Flag: "browser-extension", Topic: topicPeople, Default: "true", Placeholder: "BOOL",
		Help: "Whether people may sign in with the browser extension. See docs/extension.md.",
		kind: boolean(func(c *Config) *bool { return &c.BrowserExtension })},
	{Flag: "mcp", Topic: topicPeople, Default: "true", Placeholder: "BOOL",
		Help: "Whether assistants may connect to the MCP endpoint at /mcp, with the permission of a user. See docs/mcp.md.",
		kind: boolean(func(c *Config) *bool { return &c.MCP })},
	{Flag: "guests", Topic: topicPeople, Default: "open",
		Help: "What visitors see without signing in: open (public and closed channels) or closed (nothing: pages redirect to the sign-in page, the API responds 401).",
		kind: either(func(c *Config) *bool { return &c.GuestsClosed }, "open", "closed")},
	{Flag: "index-closed", Topic: topicPeople, Default: "false", Placeholder: "BOOL",
		Help: "Whether search engines may also index closed channels, not only public ones.",
		kind: boolean(func(c *Config) *bool { return &c.IndexClosed })},
	{Flag: "security-contact", Topic: topicPeople, Placeholder: "CONTACT,…",
		Help: "Where to report security problems, an e-mail address or an https address: shown at /.well-known/security.txt. Without it, that page does not exist.",
		kind: field(func(c *Config) *[]string { return &c.SecurityContacts }, parseContacts, joinTexts)},
	{Flag: "oidc-issuer", Reloads: true, Topic: topicPeople, Placeholder: "URL",
		Help: "Issuer URL of the OpenID Connect provider, such as https://id.example.org/realms/main. Without it, single sign-on is off.",
		See:  "[Sign-in](sign-in.md)",
		kind: checked(func(c *Config) *string { return &c.OIDC.Issuer }, checkIssuer)},
	{Flag: "oidc-client-id", Reloads: true, Topic: topicPeople, Placeholder: "ID",
		Help: "Client ID of this site at the provider. Register the site's URL with /sign-in/sso/callback as the redirect address.",
		kind: text(func(c *Config) *string { return &c.OIDC.ClientID })},
	{Flag: "oidc-client-secret", Reloads: true, Topic: topicPeople, Placeholder: "SECRET",
		Help:     "Client secret of this site at the provider. On the command line, other users of this machine can see it.",
		FileHelp: "File with the client secret.",
		kind:     text(func(c *Config) *string { return &c.OIDC.ClientSecret }).secret(redactText)},
	{Flag: "oidc-name", Reloads: true, Topic: topicPeople, Placeholder: "NAME",
		Help: "Name of the provider on the sign-in button. By default the issuer's host.",
		kind: text(func(c *Config) *string { return &c.OIDC.Name })},
	{Flag: "oidc-scopes", Reloads: true, Topic: topicPeople, Default: "openid,profile,email", Placeholder: "SCOPE,…",
		Help: "Scopes to request. Some providers need one more for groups, such as groups.",
		kind: field(func(c *Config) *[]string { return &c.OIDC.Scopes }, parseScopes, joinTexts)},
	{Flag: "oidc-sign-up", Reloads: true, Topic: topicPeople, Default: "follow",
		Help: "Who gets an account at the first sign-in: follow (as --signup says: anyone, or invited people), yes (anyone with an account at the provider, unless sign-up is closed) or no (nobody).",
		kind: choice(func(c *Config) *string { return &c.OIDC.SignUp }, "follow", "yes", "no")},
	{Flag: "oidc-email", Reloads: true, Topic: topicPeople, Default: "ask",
		Help: "What to do if an account with the verified e-mail address exists: ask (the person signs in to that account once) or trust (they are signed in directly; choose this only for your own provider).",
		kind: choice(func(c *Config) *string { return &c.OIDC.Email }, "ask", "trust")},
	{Flag: "oidc-only", Topic: topicPeople, Default: "false", Placeholder: "BOOL",
		Help: "Whether single sign-on is the only way to sign in, without passwords, passkeys, sign-up and resets. 'vitrine user sign-in' still lets an operator in.",
		kind: boolean(func(c *Config) *bool { return &c.OIDC.Only })},
	{Flag: "oidc-groups-claim", Reloads: true, Topic: topicPeople, Default: "groups", Placeholder: "NAME",
		Help: "Claim with a person's groups, or the path to it, such as realm_access.roles.",
		kind: text(func(c *Config) *string { return &c.OIDC.GroupsClaim })},
	{Flag: "oidc-group-map", Reloads: true, Topic: topicPeople, Placeholder: "THEIRS=OURS,…",
		Help: "Maps groups of the provider to groups here, by short name: members of one become members of the other. Write a comma in a name as \\,.",
		kind: field(func(c *Config) *[]GroupRule { return &c.OIDC.Groups }, parseGroupMap, formatGroupMap)},
	{Flag: "smtp-token-file", Reloads: true, Topic: topicMail, Placeholder: "FILE",
		Help: "File with an OAuth access token for the user of --smtp-url, to log in by XOAUTH2 instead of a password. It is read for each mail, so another program can renew the token.",
		See:  "[Mail with OAuth](#mail-with-oauth)",
		kind: kind{print: func(c *Config) string { return c.SMTP.tokenFile() }}},
}
