package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Resolve returns the part of Config that Common sets. It reads the files that contain secrets, and
// returns all Problems that it finds.
func (c Common) Resolve() (Config, []error) {
	var cfg Config
	var found problems
	c.resolve(&cfg, &found)
	return cfg, found
}

// Resolve returns the Config. It derives missing public addresses from the one to listen on.
func (f Flags) Resolve() (Config, []error) {
	var cfg Config
	var found problems
	f.Common.resolve(&cfg, &found)
	f.Server.resolve(&cfg, &found)
	return cfg, found
}

func (c Common) resolve(cfg *Config, found *problems) {
	url, err := secret(c.DatabaseURL, c.DatabaseURLFile)
	found.addErr("database-url-file", err)
	found.addErr("database-url", checkDatabaseURL(url))
	direct, err := secret(c.DatabaseDirect, c.DatabaseDirectIn)
	found.addErr("database-direct-url-file", err)
	err = checkDatabaseURL(direct)
	if err == nil && direct != "" && url == "" {
		err = errors.New("set --database-url to the address of the pooler as well")
	}
	found.addErr("database-direct-url", err)
	fillDefaults(&c)
	found.addErr("sqlite-synchronous", oneOf(c.SQLiteSynchronous, Choices("sqlite-synchronous")...))
	found.addErr("default-tier", oneOf(c.DefaultTier, Choices("default-tier")...))
	found.addErr("log-format", oneOf(c.LogFormat, Choices("log-format")...))
	found.addErr("log-level", oneOf(c.LogLevel, Choices("log-level")...))
	cfg.DataDir, cfg.DatabaseURL, cfg.DatabaseDirectURL, cfg.SQLiteSynchronous = c.DataDir, url, direct, c.SQLiteSynchronous
	cfg.DefaultTier, cfg.LogFormat, cfg.LogLevel = c.DefaultTier, c.LogFormat, c.LogLevel
}

// minAuditKeep is the age below which the database does not allow deleting from the audit log.
const minAuditKeep = 30 * 24 * time.Hour

func (s Server) resolve(cfg *Config, found *problems) {
	fillDefaults(&s)
	var err error
	s.resolveAddresses(cfg, found)
	cfg.RateLimits = parseRateLimits(s.RateLimits, found)
	cfg.TrustedProxies = parsePrefixes("trusted-proxies", s.TrustedProxies, found)
	cfg.RequestTimeout, err = parseDuration(s.RequestTimeout)
	found.addErr("request-timeout", err)
	cfg.BodyLimit, err = parseSize(s.BodyLimit)
	found.addErr("body-limit", err)
	cfg.ShutdownTimeout, err = parseDuration(s.ShutdownTimeout)
	found.addErr("shutdown-timeout", err)
	s.resolveReplicas(cfg, found)
	cfg.RedisURL, err = secret(s.RedisURL, s.RedisURLFile)
	found.addErr("redis-url", err)
	cfg.WaitFor, err = parseDelay(s.WaitFor)
	found.addErr("wait-for", err)
	cfg.DrainDelay, err = parseDelay(s.DrainDelay)
	found.addErr("drain-delay", err)
	cfg.ResponseMemory, err = parseSize(s.ResponseMemory)
	found.addErr("response-memory", err)
	cfg.CacheSize, err = parseSizeOrNone(s.CacheSize)
	found.addErr("cache-size", err)
	cfg.MinSendRate, err = parseSize(s.MinSendRate)
	found.addErr("min-send-rate", err)
	cfg.InvitationTTL, err = parseDuration(s.InvitationTTL)
	found.addErr("invitation-ttl", err)
	cfg.AuditKeep, err = parseDelay(s.AuditKeep)
	if err == nil && cfg.AuditKeep != 0 && cfg.AuditKeep < minAuditKeep {
		err = quotedError(s.AuditKeep, "want at least 720h, or 0s to keep the log forever")
	}
	found.addErr("audit-keep", err)
	cfg.MetricsAddr = s.MetricsAddr
	if s.MetricsAddr != "" {
		found.addErr("metrics-addr", checkMetricsAddr(s.MetricsAddr, *cfg))
	}
	s.resolveTraces(cfg, found)
	cfg.Work, err = parseBool(s.Work)
	found.addErr("work", err)
	cfg.JobConcurrency, err = parseCount(s.JobConcurrency)
	found.addErr("job-concurrency", err)
	cfg.JobTimeout, err = parseDuration(s.JobTimeout)
	found.addErr("job-timeout", err)
	if s.SignUp != "" {
		found.addErr("signup", oneOf(s.SignUp, Choices("signup")...))
	}
	cfg.SignUp = s.SignUp
	cfg.SetupCode, err = secret(s.SetupCode, s.SetupCodeFile)
	found.addErr("setup-code-file", err)
	if n := len(cfg.SetupCode); n > 0 && (n < minSetupCode || n > maxSetupCode) {
		found.addErr("setup-code", fmt.Errorf("must have %d to %d characters", minSetupCode, maxSetupCode))
	}
	cfg.OAuthRegistration, err = parseBool(s.OAuthRegister)
	found.addErr("oauth-registration", err)
	found.addErr("guests", oneOf(s.Guests, Choices("guests")...))
	cfg.GuestsClosed = s.Guests == "closed"
	cfg.IndexClosed, err = parseBool(s.IndexClosed)
	found.addErr("index-closed", err)
	cfg.SecurityContacts = parseContacts(s.SecurityContact, found)
	s.resolveFiles(cfg, found)
	s.resolveBackup(cfg, found)
	s.resolveMail(cfg, found)
	s.resolveOIDC(cfg, found)
}

// secret returns the value, or the content of the file without a final newline.
func secret(value, file string) (string, error) {
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", errors.New("set the value or the file, not both")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if text == "" {
		return "", errors.New("the file " + file + " is empty")
	}
	return text, nil
}

func oneOf(value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return quotedError(value, "want "+orList(allowed))
}
