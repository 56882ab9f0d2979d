package config

import (
	"errors"
	"strings"
)

// Texts holds the texts of settings by flag. A setting that is missing or empty has its default.
type Texts map[string]string

// Resolve returns the Config. It ignores the environment and the configuration file.
func (t Texts) Resolve() (Config, []error) {
	cfg, given, found := t.parse(false)
	cfg.complete(given, false, &found)
	return cfg, found
}

// parse parses the texts one by one and returns all Problems that it finds. given contains the texts
// and the content of the files with secrets. With common, it only sets the fields that every command
// has.
func (t Texts) parse(common bool) (cfg Config, given Texts, found problems) {
	given = Texts{}
	for _, d := range settings {
		if common && !d.Common {
			continue
		}
		text := t[d.Flag]
		if d.FileHelp != "" {
			var err error
			text, err = secret(text, t[d.Flag+fileSuffix])
			found.addErr(d.Flag+fileSuffix, err)
		}
		given[d.Flag] = text
		if d.parse == nil {
			continue
		}
		if d.Default != "" {
			found.addErr(d.Flag, d.parse(&cfg, d.Default)) // tiers that the text omits keep their default
		}
		if text != "" {
			found.addErr(d.Flag, d.parse(&cfg, text))
		}
	}
	return cfg, given, found
}

// complete derives settings from each other and checks that they fit. With common, it only does so
// for those that every command has.
func (c *Config) complete(given Texts, common bool, found *problems) {
	if c.DatabaseDirectURL != "" && c.DatabaseURL == "" && !found.on("database-direct-url") {
		found.add("database-direct-url", "set --database-url to the address of the pooler as well")
	}
	if common {
		return
	}
	c.completeAddresses(given, found)
	if len(c.Replicas.URLs) > 0 && c.DatabaseURL == "" {
		found.add("database-replica-urls", "SQLite has no replicas: also set --database-url")
	}
	c.Traces.complete(found)
	c.Blob.complete(given, found)
	c.Backup.complete(c.Blob, found)
	c.Embeddings.complete(found)
	c.completeMail(given, found)
	c.OIDC.complete(given, found)
}

// secret returns the value, or the content of the file without a final newline.
func secret(value, file string) (string, error) {
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", errors.New("set the value or the file, not both")
	}
	raw, err := readFile(file)
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if text == "" {
		return "", errors.New("the file " + file + " is empty")
	}
	return text, nil
}
