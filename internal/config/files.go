package config

import (
	"errors"
	"strings"
)

// complete checks that the keys are complete and have a use.
func (b Blob) complete(given Texts, found *problems) {
	switch {
	case given["blob-url"] == "" && (b.AccessKey != "" || b.SecretKey != ""):
		found.add("blob-url", "is required for the keys")
	case given["blob-url"] != "" && (b.AccessKey == "") != (b.SecretKey == ""):
		found.add("blob-access-key", "requires --blob-secret-key, and vice versa")
	}
}

// complete uses the keys of the files if no keys for backups are set.
func (b *Backup) complete(files Blob, found *problems) {
	if (b.AccessKey == "") != (b.SecretKey == "") {
		found.add("backup-access-key", "requires --backup-secret-key, and vice versa")
	}
	if b.AccessKey == "" {
		b.AccessKey, b.SecretKey = files.AccessKey, files.SecretKey
	}
}

func checkBackupTo(to string) error {
	if strings.HasSuffix(to, ".tar.zst") && !strings.HasPrefix(to, "s3:") {
		return errors.New("want a folder or s3://…: a file can contain only one backup")
	}
	return nil
}
