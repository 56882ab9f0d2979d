package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"vitrine/internal/licenses/works"
)

// inventory is the build information in a compiled program.
type inventory struct {
	info *buildinfo.BuildInfo
	sum  string // SHA-256 of the program, in hexadecimal
}

func takeInventory(binary []byte) (inventory, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	sum := sha256.Sum256(binary)
	return inventory{info, hex.EncodeToString(sum[:])}, err
}

// version returns the module's version without the characters that do not belong in file names.
func (i inventory) version() string {
	return strings.NewReplacer("(", "", ")", "", "+", "-", "/", "-").Replace(i.info.Main.Version)
}

// bom is a CycloneDX 1.5 document with the fields that we fill:
// https://cyclonedx.org/docs/1.5/json/.
type bom struct {
	Schema      string      `json:"$schema"`
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []license  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type license struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// encode writes the SBOM: the program, its modules, the standard library, and third-party files in
// the repository.
func (i inventory) encode(when time.Time) ([]byte, error) {
	main := component{Type: "application", Ref: "vitrine", Name: "vitrine", Version: i.info.Main.Version,
		Hashes: []hash{{"SHA-256", i.sum}}, Licenses: []license{{"Apache-2.0"}}}
	for _, s := range i.info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || strings.HasPrefix(s.Key, "vcs.") {
			main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	doc := bom{Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{when.Format(time.RFC3339), main}}
	add := func(name, version, purl string, more ...property) {
		doc.Components = append(doc.Components, component{Type: "library", Ref: purl, Name: name, Version: version, PURL: purl, Properties: more})
	}
	std := strings.TrimPrefix(i.info.GoVersion, "go")
	add("std", std, "pkg:golang/std@"+std)
	for _, m := range i.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version == "" { // a folder of this repository
			continue
		}
		add(m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version, property{"go:sum", m.Sum})
	}
	for _, w := range works.Kept() {
		add(w.Name, w.Version, w.PURL)
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}
