package config

import (
	"strings"
	"time"
)

// resolveFiles reads the settings of files and of what is fetched.
func (s Server) resolveFiles(cfg *Config, found *problems) {
	var err error
	if cfg.FilesURL = cfg.BaseURL; s.FilesURL != "" {
		cfg.FilesURL = s.FilesURL
		found.addErr("files-url", checkPublicURL(s.FilesURL))
	}
	cfg.UploadLimit, err = parseSize(s.UploadLimit)
	found.addErr("upload-limit", err)
	var defaults Server
	fillDefaults(&defaults)
	cfg.QuotaUnused = parseQuotas("quota-unused", defaults.QuotaUnused, s.QuotaUnused, found)
	cfg.Quota = parseQuotas("quota", defaults.Quota, s.Quota, found)
	cfg.DiskReserve, err = parseDiskReserve(s.DiskReserve)
	found.addErr("disk-reserve", err)
	cfg.KeepMetadata, err = parseBool(s.KeepMetadata)
	found.addErr("keep-metadata", err)
	cfg.ImageMemory, err = parseSize(s.ImageMemory)
	found.addErr("image-memory", err)
	cfg.MemoryLimit, err = parseMemoryLimit(s.MemoryLimit)
	found.addErr("memory-limit", err)
	cfg.Language, err = parseLanguages(s.Language)
	found.addErr("language", err)
	cfg.FetchAllow = parsePrefixes("fetch-allow", s.FetchAllow, found)
	cfg.Blob = Blob{URL: s.BlobURL, AccessKey: s.BlobAccessKey}
	cfg.Blob.SecretKey, err = secret(s.BlobSecretKey, s.BlobSecretFile)
	found.addErr("blob-secret-key-file", err)
	keys := cfg.Blob.AccessKey != "" || cfg.Blob.SecretKey != ""
	switch {
	case s.BlobURL == "" && keys:
		found.add("blob-url", "is missing: there are keys for it")
	case s.BlobURL != "" && (cfg.Blob.AccessKey == "") != (cfg.Blob.SecretKey == ""):
		found.add("blob-access-key", "and --blob-secret-key belong together")
	}
}

func (s Server) resolveBackup(cfg *Config, found *problems) {
	b := Backup{To: s.BackupTo, AccessKey: s.BackupAccessKey}
	var err error
	b.Every, err = parseDuration(s.BackupEvery)
	if err == nil && b.Every < time.Minute {
		err = quotedError(s.BackupEvery, "want at least 1m")
	}
	found.addErr("backup-every", err)
	b.Keep, err = parseCount(s.BackupKeep)
	found.addErr("backup-keep", err)
	b.SecretKey, err = secret(s.BackupSecretKey, s.BackupSecretFile)
	found.addErr("backup-secret-key-file", err)
	if (b.AccessKey == "") != (b.SecretKey == "") {
		found.add("backup-access-key", "and --backup-secret-key belong together")
	}
	if b.AccessKey == "" {
		b.AccessKey, b.SecretKey = cfg.Blob.AccessKey, cfg.Blob.SecretKey
	}
	if strings.HasSuffix(b.To, ".tar.zst") && !strings.HasPrefix(b.To, "s3:") {
		found.add("backup-to", "is a folder or s3://…, since one file would be written once")
	}
	cfg.Backup = b
}
