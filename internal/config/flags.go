// Package config turns flags and environment variables into settings. The flag groups hold the
// texts from the command line parser; Resolve parses and checks them and returns a Config. The
// texts are not parsed by the command line parser, so that all errors can be reported together.
package config

import "reflect"

// Common holds the flags that every command has. Embed it in a kong command. Environment variables
// are named after their flags. An empty value means the default, so a variable may be left blank in
// a deployment file.
type Common struct {
	DataDir           string `name:"data-dir" env:"VITRINE_DATA_DIR" default:"./data" placeholder:"DIR" help:"Folder for the SQLite database and all other data."`
	DatabaseURL       string `name:"database-url" env:"VITRINE_DATABASE_URL" placeholder:"URL" help:"postgres://user:password@host/name; empty for SQLite in the data folder."`
	DatabaseURLFile   string `name:"database-url-file" env:"VITRINE_DATABASE_URL_FILE" placeholder:"FILE" help:"File with the database URL, instead of --database-url."`
	DatabaseDirect    string `name:"database-direct-url" env:"VITRINE_DATABASE_DIRECT_URL" placeholder:"URL" help:"URL of PostgreSQL itself, if --database-url is that of PgBouncer or another pooler in transaction mode."`
	DatabaseDirectIn  string `name:"database-direct-url-file" env:"VITRINE_DATABASE_DIRECT_URL_FILE" placeholder:"FILE" help:"File with that URL, instead of --database-direct-url."`
	SQLiteSynchronous string `name:"sqlite-synchronous" env:"VITRINE_SQLITE_SYNCHRONOUS" default:"full" help:"full: committed writes survive a power cut; normal: faster, but the last writes may be lost."`
	DefaultTier       string `name:"default-tier" env:"VITRINE_DEFAULT_TIER" default:"supporter" placeholder:"TIER" help:"Tier of new accounts: free, premium or supporter."`
	LogFormat         string `name:"log-format" env:"VITRINE_LOG_FORMAT" default:"text" help:"text or json."`
	LogLevel          string `name:"log-level" env:"VITRINE_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Server holds the flags of the server itself.
type Server struct {
	Addr             string `name:"addr" env:"VITRINE_ADDR" placeholder:"HOST:PORT" help:"Address to listen on: HOST:PORT, or unix:/path of a Unix socket for a proxy on this machine. By default 127.0.0.1:8080, or :443 with --tls-domain."`
	SocketMode       string `name:"socket-mode" env:"VITRINE_SOCKET_MODE" default:"0660" placeholder:"MODE" help:"Permissions of Unix sockets, in octal. Only the proxy should be able to write to the --addr socket, because its headers are trusted."`
	BaseURL          string `name:"base-url" env:"VITRINE_BASE_URL" placeholder:"URL" help:"Public address of the API, without a slash at the end; it may have a path, such as https://example.org/vitrine. By default https:// and the first --tls-domain, or the site URL, or http:// and the listen address."`
	SiteURL          string `name:"site-url" env:"VITRINE_SITE_URL" placeholder:"URL" help:"Public address of the website, without a slash at the end; it may have a path, such as https://example.org/vitrine. By default https:// and the first --tls-domain, or the base URL, or http:// and the listen address."`
	TLSDomain        string `name:"tls-domain" env:"VITRINE_TLS_DOMAIN" placeholder:"NAME,…" help:"Domains for which this server obtains and renews certificates. Without them, a proxy has to terminate TLS."`
	TLSEmail         string `name:"tls-email" env:"VITRINE_TLS_EMAIL" placeholder:"ADDRESS" help:"Contact address for the certificate authority."`
	TLSHTTPAddr      string `name:"tls-http-addr" env:"VITRINE_TLS_HTTP_ADDR" placeholder:"HOST:PORT" help:"Second address to listen on with --tls-domain, for the authority's challenges and redirects from http:// to https://; none for no such listener. By default :80."`
	TLSDirectoryURL  string `name:"tls-directory-url" env:"VITRINE_TLS_DIRECTORY_URL" placeholder:"URL" help:"ACME directory of the certificate authority. By default Let's Encrypt."`
	TLSDirectoryCA   string `name:"tls-directory-ca" env:"VITRINE_TLS_DIRECTORY_CA" placeholder:"FILE" help:"PEM file with the CA certificates of the directory's server, for a private authority."`
	RateLimits       string `name:"rate-limits" env:"VITRINE_RATE_LIMITS" default:"guest=30,free=120,premium=300,supporter=600" placeholder:"TIER=N,…" help:"Requests per minute by tier; 0 is unlimited, a missing tier keeps its default."`
	TrustedProxies   string `name:"trusted-proxies" env:"VITRINE_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Addresses and networks of reverse proxies whose X-Forwarded-For, X-Forwarded-Prefix and X-Request-Id are trusted. A proxy on a Unix socket is always trusted."`
	RequestTimeout   string `name:"request-timeout" env:"VITRINE_REQUEST_TIMEOUT" default:"15s" placeholder:"DURATION" help:"A request that takes longer is cancelled."`
	BodyLimit        string `name:"body-limit" env:"VITRINE_BODY_LIMIT" default:"1MiB" placeholder:"SIZE" help:"Largest request body, in bytes or with KiB, MiB or GiB."`
	ShutdownTimeout  string `name:"shutdown-timeout" env:"VITRINE_SHUTDOWN_TIMEOUT" default:"30s" placeholder:"DURATION" help:"How long requests and jobs in progress may take to finish when the server stops."`
	ReplicaURLs      string `name:"database-replica-urls" env:"VITRINE_DATABASE_REPLICA_URLS" placeholder:"URL,…" help:"Streaming replicas of the PostgreSQL database for reads that may be slightly old. Users always see their own writes. Replicas that are unreachable or too far behind are skipped."`
	ReplicaURLsFile  string `name:"database-replica-urls-file" env:"VITRINE_DATABASE_REPLICA_URLS_FILE" placeholder:"FILE" help:"File with the URLs of the replicas, instead of --database-replica-urls."`
	ReplicaMaxLag    string `name:"database-replica-max-lag" env:"VITRINE_DATABASE_REPLICA_MAX_LAG" default:"5s" placeholder:"DURATION" help:"How far behind the primary a replica may be, at least 1s."`
	RedisURL         string `name:"redis-url" env:"VITRINE_REDIS_URL" placeholder:"URL" help:"redis://user:password@host:6379 or rediss:// (TLS), of Redis or Valkey, to share rate limits between servers. Without it, each server counts separately."`
	RedisURLFile     string `name:"redis-url-file" env:"VITRINE_REDIS_URL_FILE" placeholder:"FILE" help:"File with the URL of Redis, instead of --redis-url."`
	WaitFor          string `name:"wait-for" env:"VITRINE_WAIT_FOR" default:"1m" placeholder:"DURATION" help:"How long to wait at start for PostgreSQL and S3 if they are unreachable; 0s to fail immediately."`
	DrainDelay       string `name:"drain-delay" env:"VITRINE_DRAIN_DELAY" default:"0s" placeholder:"DURATION" help:"How long a stopping server still accepts requests while /readyz already responds 503, so that load balancers notice."`
	ResponseMemory   string `name:"response-memory" env:"VITRINE_RESPONSE_MEMORY" default:"64MiB" placeholder:"SIZE" help:"Memory for request bodies and for responses, except small ones; requests that would exceed it get 503."`
	CacheSize        string `name:"cache-size" env:"VITRINE_CACHE_SIZE" default:"32MiB" placeholder:"SIZE" help:"Memory for cached responses of blocks and connections; 0 for none."`
	MinSendRate      string `name:"min-send-rate" env:"VITRINE_MIN_SEND_RATE" default:"4KiB" placeholder:"SIZE" help:"Minimum average rate, in bytes per second, at which a client must read a response before its connection is closed."`
	MetricsAddr      string `name:"metrics-addr" env:"VITRINE_METRICS_ADDR" placeholder:"HOST:PORT" help:"Address of a second listener for metrics and profiles, HOST:PORT or unix:/path; empty for none. Keep it private."`
	OTelEndpoint     string `name:"otel-endpoint" env:"VITRINE_OTEL_ENDPOINT" placeholder:"URL" help:"Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, to send traces of requests and jobs to (OTLP over HTTP, JSON); empty for none."`
	OTelHeadersFile  string `name:"otel-headers-file" env:"VITRINE_OTEL_HEADERS_FILE" placeholder:"FILE" help:"File with headers to send to the collector, such as a token, one Name: value per line."`
	OTelSampleRatio  string `name:"otel-sample-ratio" env:"VITRINE_OTEL_SAMPLE_RATIO" default:"1" placeholder:"RATIO" help:"Share of traces to record, 0 to 1. Requests from --trusted-proxies with a traceparent header follow its sampling flag instead."`
	AuditKeep        string `name:"audit-keep" env:"VITRINE_AUDIT_KEEP" default:"8760h" placeholder:"DURATION" help:"How long to keep entries of the audit log, at least 720h; 0s keeps them forever."`
	InvitationTTL    string `name:"invitation-ttl" env:"VITRINE_INVITATION_TTL" default:"336h" placeholder:"DURATION" help:"How long an invitation to a group can be accepted."`
	Work             string `name:"work" env:"VITRINE_WORK" default:"true" placeholder:"BOOL" help:"Whether this server also runs jobs: true, or false if vitrine work does."`
	JobConcurrency   string `name:"job-concurrency" env:"VITRINE_JOB_CONCURRENCY" default:"4" placeholder:"N" help:"How many blocks this server processes at once, at least 2; one user gets at most half. Two mails and three other jobs, such as batches, can run at the same time."`
	JobTimeout       string `name:"job-timeout" env:"VITRINE_JOB_TIMEOUT" default:"3m" placeholder:"DURATION" help:"How long one job may take. A job that takes 30 seconds longer is assumed to hang and is started again."`
	FilesURL         string `name:"files-url" env:"VITRINE_FILES_URL" placeholder:"URL" help:"Public address of uploaded files and images, without a slash at the end, for example of a cache in front of this server. By default the base URL."`
	BlobURL          string `name:"blob-url" env:"VITRINE_BLOB_URL" placeholder:"URL" help:"s3://bucket/prefix?endpoint=https://host&region=name for files; empty for files/ in the data folder."`
	BlobAccessKey    string `name:"blob-access-key" env:"VITRINE_BLOB_ACCESS_KEY" placeholder:"KEY" help:"Access key of the S3 storage."`
	BlobSecretKey    string `name:"blob-secret-key" env:"VITRINE_BLOB_SECRET_KEY" placeholder:"KEY" help:"Secret key of the S3 storage. On the command line, other users of this machine can see it."`
	BlobSecretFile   string `name:"blob-secret-key-file" env:"VITRINE_BLOB_SECRET_KEY_FILE" placeholder:"FILE" help:"File with the secret key of the S3 storage."`
	UploadLimit      string `name:"upload-limit" env:"VITRINE_UPLOAD_LIMIT" default:"1GiB" placeholder:"SIZE" help:"Largest file that can be uploaded or fetched."`
	QuotaUnused      string `name:"quota-unused" env:"VITRINE_QUOTA_UNUSED" default:"free=2GiB,premium=4GiB,supporter=4GiB" placeholder:"TIER=SIZE,…" help:"How much users of each tier may have in uploads that are not in a block yet; 0 is unlimited, a missing tier keeps its default."`
	Quota            string `name:"quota" env:"VITRINE_QUOTA" default:"free=5GiB,premium=50GiB,supporter=500GiB" placeholder:"TIER=SIZE,…" help:"How much users of each tier may store in uploads, files, images and texts (each byte of text counts twice); 0 is unlimited, a missing tier keeps its default."`
	DiskReserve      string `name:"disk-reserve" env:"VITRINE_DISK_RESERVE" default:"512MiB" placeholder:"SIZE" help:"Free disk space below which this server refuses uploads and is not ready: a size, a share of the disk such as 5%, or 0 for none."`
	KeepMetadata     string `name:"keep-metadata" env:"VITRINE_KEEP_METADATA" default:"false" placeholder:"BOOL" help:"Whether photographs and videos are served with all their metadata, such as the location: true, or false to remove everything except orientation, colour profile and capture date."`
	FetchAllow       string `name:"fetch-allow" env:"VITRINE_FETCH_ALLOW" placeholder:"CIDR,…" help:"Private addresses and networks, such as an intranet, that content may be fetched from. By default only public addresses."`
	Language         string `name:"language" env:"VITRINE_LANGUAGE" default:"en" placeholder:"TAG,…" help:"Languages of this site, in order of preference, such as de-AT,en. Linked pages are fetched in the first one that they support. Visitors whose browser requests no supported language see the website in the first one that it supports."`
	ImageMemory      string `name:"image-memory" env:"VITRINE_IMAGE_MEMORY" default:"128MiB" placeholder:"SIZE" help:"Memory for resizing images; the total is at most twice as much."`
	MemoryLimit      string `name:"memory-limit" env:"VITRINE_MEMORY_LIMIT" default:"auto" placeholder:"SIZE" help:"Memory that this process may use, three quarters of it as Go's soft limit: auto (the limit of the control group, or else the machine's memory), a size, or off. GOMEMLIMIT takes precedence."`
	BackupTo         string `name:"backup-to" env:"VITRINE_BACKUP_TO" placeholder:"PATH" help:"Folder, or s3://bucket/prefix?endpoint=https://host&region=name, for scheduled backups; empty for none."`
	BackupEvery      string `name:"backup-every" env:"VITRINE_BACKUP_EVERY" default:"24h" placeholder:"DURATION" help:"How often."`
	BackupKeep       string `name:"backup-keep" env:"VITRINE_BACKUP_KEEP" default:"14" placeholder:"N" help:"How many backups to keep."`
	BackupAccessKey  string `name:"backup-access-key" env:"VITRINE_BACKUP_ACCESS_KEY" placeholder:"KEY" help:"Access key of the S3 storage for backups. By default that of the files."`
	BackupSecretKey  string `name:"backup-secret-key" env:"VITRINE_BACKUP_SECRET_KEY" placeholder:"KEY" help:"Secret key of the S3 storage for backups. On the command line, other users of this machine can see it."`
	BackupSecretFile string `name:"backup-secret-key-file" env:"VITRINE_BACKUP_SECRET_KEY_FILE" placeholder:"FILE" help:"File with the secret key of the S3 storage for backups."`
	MailFrom         string `name:"mail-from" env:"VITRINE_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of mails. By default no-reply at the website's host."`
	SMTPURL          string `name:"smtp-url" env:"VITRINE_SMTP_URL" placeholder:"URL" help:"smtp://user@host:587 (STARTTLS is required unless the host is this machine; ?starttls=required or never) or smtps://user@host:465. Without it, mails are written to outbox/ in the data folder."`
	SMTPPassword     string `name:"smtp-password" env:"VITRINE_SMTP_PASSWORD" placeholder:"PASSWORD" help:"Password for the SMTP server. On the command line, other users of this machine can see it."`
	SignUp           string `name:"signup" env:"VITRINE_SIGNUP" placeholder:"MODE" help:"Who may create an account on the website: open (anyone), invitation (with a link from an operator or a group) or closed. Without it, an operator chooses on the website; the initial choice is invitation. The first account can always be created."`
	SetupCode        string `name:"setup-code" env:"VITRINE_SETUP_CODE" placeholder:"CODE" help:"Code of at least 12 characters that is required to create the first account, the operator's. By default, a server that other machines can reach generates one and prints it to its log."`
	SetupCodeFile    string `name:"setup-code-file" env:"VITRINE_SETUP_CODE_FILE" placeholder:"FILE" help:"File that contains the setup code, instead of --setup-code."`
	OAuthRegister    string `name:"oauth-registration" env:"VITRINE_OAUTH_REGISTRATION" default:"false" placeholder:"BOOL" help:"Whether applications may register themselves at /ext/v1/oauth/register (RFC 7591)."`
	Guests           string `name:"guests" env:"VITRINE_GUESTS" default:"open" help:"What visitors see without signing in: open (public and closed channels) or closed (nothing: pages redirect to the sign-in page, the API responds 401)."`
	IndexClosed      string `name:"index-closed" env:"VITRINE_INDEX_CLOSED" default:"false" placeholder:"BOOL" help:"Whether search engines may also index closed channels, not only public ones."`
	SecurityContact  string `name:"security-contact" env:"VITRINE_SECURITY_CONTACT" placeholder:"CONTACT,…" help:"Where to report security problems, an e-mail address or an https address: shown at /.well-known/security.txt. Without it, that page does not exist."`
	OIDCIssuer       string `name:"oidc-issuer" env:"VITRINE_OIDC_ISSUER" placeholder:"URL" help:"Issuer URL of the OpenID Connect provider, such as https://id.example.org/realms/main. Without it, single sign-on is off."`
	OIDCClientID     string `name:"oidc-client-id" env:"VITRINE_OIDC_CLIENT_ID" placeholder:"ID" help:"Client ID of this site at the provider. Register the site's URL with /sign-in/sso/callback as the redirect address."`
	OIDCClientSecret string `name:"oidc-client-secret" env:"VITRINE_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"Client secret of this site at the provider. On the command line, other users of this machine can see it."`
	OIDCSecretFile   string `name:"oidc-client-secret-file" env:"VITRINE_OIDC_CLIENT_SECRET_FILE" placeholder:"FILE" help:"File with the client secret."`
	OIDCName         string `name:"oidc-name" env:"VITRINE_OIDC_NAME" placeholder:"NAME" help:"Name of the provider on the sign-in button. By default the issuer's host."`
	OIDCScopes       string `name:"oidc-scopes" env:"VITRINE_OIDC_SCOPES" default:"openid,profile,email" placeholder:"SCOPE,…" help:"Scopes to request. Some providers need one more for groups, such as groups."`
	OIDCSignUp       string `name:"oidc-sign-up" env:"VITRINE_OIDC_SIGN_UP" default:"follow" help:"Who gets an account at the first sign-in: follow (as --signup says: anyone, or invited people), yes (anyone with an account at the provider, unless sign-up is closed) or no (nobody)."`
	OIDCEmail        string `name:"oidc-email" env:"VITRINE_OIDC_EMAIL" default:"ask" help:"What to do if an account with the verified e-mail address exists: ask (the person signs in to that account once) or trust (they are signed in directly; choose this only for your own provider)."`
	OIDCOnly         string `name:"oidc-only" env:"VITRINE_OIDC_ONLY" default:"false" placeholder:"BOOL" help:"Whether single sign-on is the only way to sign in, without passwords, passkeys, sign-up and resets. 'vitrine user sign-in' still lets an operator in."`
	OIDCGroupsClaim  string `name:"oidc-groups-claim" env:"VITRINE_OIDC_GROUPS_CLAIM" default:"groups" placeholder:"NAME" help:"Claim with a person's groups, or the path to it, such as realm_access.roles."`
	OIDCGroupMap     string `name:"oidc-group-map" env:"VITRINE_OIDC_GROUP_MAP" placeholder:"THEIRS=OURS,…" help:"Maps groups of the provider to groups here, by short name: members of one become members of the other. Write a comma in a name as \\,."`
	SMTPPasswordFile string `name:"smtp-password-file" env:"VITRINE_SMTP_PASSWORD_FILE" placeholder:"FILE" help:"File with the password for the SMTP server."`
	SMTPTokenFile    string `name:"smtp-token-file" env:"VITRINE_SMTP_TOKEN_FILE" placeholder:"FILE" help:"File with an OAuth access token for the user of --smtp-url, to log in by XOAUTH2 instead of a password. It is read for each mail, so another program can renew the token."`
}

// Flags holds all settings of the server.
type Flags struct {
	Common
	Server
}

// fillDefaults sets every empty field of the struct that group points to to the default in its tag.
func fillDefaults(group any) {
	v := reflect.ValueOf(group).Elem()
	for i := range v.NumField() {
		if field := v.Field(i); field.String() == "" {
			field.SetString(v.Type().Field(i).Tag.Get("default"))
		}
	}
}
