package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nobody is the user and group ID in the container.
const nobody = 65532

// descriptor is an OCI content descriptor:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md.
type descriptor struct {
	MediaType string         `json:"mediaType"`
	Digest    string         `json:"digest"`
	Size      int            `json:"size"`
	Platform  map[string]any `json:"platform,omitempty"`
}

const (
	ociIndex    = "application/vnd.oci.image.index.v1+json"
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// layout is the folder of an OCI image layout.
type layout string

// writeImage writes a multi-platform image of the Linux programs and returns the digest of its
// index.
func writeImage(folder string, programs []program, authorities string, when time.Time) (string, error) {
	trusted, err := os.ReadFile(authorities)
	if err != nil {
		return "", fmt.Errorf("the certificate authorities of the image: %w", err)
	}
	l := layout(folder)
	if err := os.MkdirAll(filepath.Join(folder, "blobs", "sha256"), 0o755); err != nil {
		return "", err
	}
	var manifests []descriptor
	for _, p := range programs {
		arch, found := strings.CutPrefix(p.platform, "linux/")
		if !found {
			continue
		}
		d, err := l.addProgram(p, arch, trusted, when)
		if err != nil {
			return "", err
		}
		manifests = append(manifests, d)
	}
	index, err := l.addJSON(ociIndex, map[string]any{"schemaVersion": 2, "mediaType": ociIndex, "manifests": manifests})
	if err != nil {
		return "", err
	}
	top, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": ociIndex, "manifests": []any{map[string]any{
		"mediaType": index.MediaType, "digest": index.Digest, "size": index.Size,
		"annotations": map[string]string{"org.opencontainers.image.ref.name": "latest"}}}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "index.json"), top, 0o644); err != nil {
		return "", err
	}
	return index.Digest, os.WriteFile(filepath.Join(folder, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644)
}

// addProgram writes the layer, the configuration and the manifest for one architecture.
func (l layout) addProgram(p program, arch string, trusted []byte, when time.Time) (descriptor, error) {
	plain, err := rootFS(p.binary, trusted, when)
	if err != nil {
		return descriptor{}, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return descriptor{}, err
	}
	if _, err := w.Write(plain); err != nil {
		return descriptor{}, err
	}
	if err := w.Close(); err != nil {
		return descriptor{}, err
	}
	layer, err := l.add(ociLayer, packed.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	platform := map[string]any{"os": "linux", "architecture": arch}
	config, err := l.addJSON(ociConfig, map[string]any{
		"created": when.Format(time.RFC3339), "os": "linux", "architecture": arch,
		"config": map[string]any{
			"User":       fmt.Sprintf("%d:%[1]d", nobody),
			"Entrypoint": []string{"/vitrine"}, "Cmd": []string{"serve"},
			"Env":          []string{"PATH=/", "VITRINE_ADDR=:8080", "VITRINE_DATA_DIR=/data"},
			"ExposedPorts": map[string]any{"8080/tcp": struct{}{}},
			"Volumes":      map[string]any{"/data": struct{}{}},
			"WorkingDir":   "/data", "StopSignal": "SIGTERM",
			// Healthcheck is not part of OCI, but Docker and Podman read it. A start may wait a
			// minute each for PostgreSQL and S3.
			"Healthcheck": map[string]any{"Test": []string{"CMD", "/vitrine", "healthcheck"}, "Interval": int64(15 * time.Second), "Timeout": int64(6 * time.Second), "Retries": 3,
				"StartPeriod": int64(2 * time.Minute)},
			"Labels": map[string]string{"org.opencontainers.image.title": "Vitrine", "org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.version": p.about.info.Main.Version},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{digestOf(plain)}},
		"history": []any{map[string]any{"created": when.Format(time.RFC3339), "created_by": "internal/release"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	d, err := l.addJSON(ociManifest, map[string]any{"schemaVersion": 2, "mediaType": ociManifest, "config": config, "layers": []descriptor{layer}})
	d.Platform = platform
	return d, err
}

// rootFS returns the root file system as a tar: the program, the CA certificates, the users, and
// the folders /data and /tmp.
func rootFS(binary, trusted []byte, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, e := range []struct {
		name    string
		mode    int64
		owner   int
		content []byte
	}{
		{"data/", 0o700, nobody, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, fmt.Appendf(nil, "root:x:0:\nvitrine:x:%d:\n", nobody)},
		{"etc/passwd", 0o644, 0, fmt.Appendf(nil, "root:x:0:0:root:/:/none\nvitrine:x:%d:%[1]d:vitrine:/data:/none\n", nobody)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, trusted},
		{"tmp/", 0o1777, 0, nil},
		{"vitrine", 0o755, 0, binary},
	} {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)),
			ModTime: when, Format: tar.FormatPAX}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (l layout) addJSON(mediaType string, v any) (descriptor, error) {
	text, err := json.Marshal(v) // sorts the keys of maps
	if err != nil {
		return descriptor{}, err
	}
	return l.add(mediaType, text)
}

// add writes a blob under its digest.
func (l layout) add(mediaType string, content []byte) (descriptor, error) {
	digest := digestOf(content)
	path := filepath.Join(string(l), "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(content)}, os.WriteFile(path, content, 0o644)
}

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }
