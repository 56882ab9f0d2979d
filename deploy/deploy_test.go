// Package deploy_test checks the files in this folder: the settings that they use exist, and if the
// program that reads a file is installed, it accepts the file.
package deploy_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"vitrine/internal/config"
)

// Every setting in the files exists.
func TestSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"VITRINE_IMAGE": true, "VITRINE_URL": true} // used only by the compose files
	for _, d := range config.Declarations() {
		known[d.Env()] = true
	}
	variable := regexp.MustCompile(`VITRINE_[A-Z_0-9]+`)
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range variable.FindAllString(string(text), -1) {
			if found++; !known[name] {
				t.Errorf("%s: %s is no setting", path, name)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d settings (%v)", found, err)
	}
}

// documents parses the documents of a YAML file, which must not contain duplicate keys.
func documents(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()); ; {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, doc)
	}
}

// at returns the value at a path of keys in a document.
func at(doc any, path ...string) any {
	for _, key := range path {
		m, ok := doc.(map[string]any)
		if !ok {
			return nil
		}
		doc = m[key]
	}
	return doc
}

// References in a manifest can be resolved within its file, and pods have more time to stop than
// the server needs.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	all := documents(t, "kubernetes/vitrine.yaml")
	kinds := map[string]int{}
	pods := map[string]string{} // labels by deployment
	for _, doc := range all {
		kind, _ := doc["kind"].(string)
		kinds[kind]++
		if doc["apiVersion"] == nil || at(doc, "metadata", "name") == nil || at(doc, "metadata", "namespace") != "vitrine" {
			t.Errorf("%v has no version, name or namespace", doc)
		}
		if kind != "Deployment" {
			continue
		}
		want, labels := fmt.Sprint(at(doc, "spec", "selector", "matchLabels")), fmt.Sprint(at(doc, "spec", "template", "metadata", "labels"))
		if want != labels {
			t.Errorf("%v selects %s, but its pods are %s", at(doc, "metadata", "name"), want, labels)
		}
		pods[labels] = kind
		if grace := fmt.Sprint(at(doc, "spec", "template", "spec", "terminationGracePeriodSeconds")); grace != "60" {
			t.Errorf("the grace period is %s, want 60: longer than the drain delay and the time for stopping", grace)
		}
	}
	for _, doc := range all {
		if doc["kind"] == "Service" && pods[fmt.Sprint(at(doc, "spec", "selector"))] == "" {
			t.Error("the service selects no pods")
		}
	}
	for _, kind := range []string{"ConfigMap", "Job", "Deployment", "Service", "PodDisruptionBudget", "Ingress"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s", kind)
		}
	}
}

// The networks, volumes, secrets and services that a service uses exist.
func TestCompose(t *testing.T) {
	t.Parallel()
	defaults, found := config.Texts{}.Resolve()
	if len(found) > 0 {
		t.Fatal(found)
	}
	patience := defaults.WaitFor
	for _, path := range []string{"compose/one-node.yaml", "compose/three-nodes.yaml"} {
		doc := documents(t, path)[0]
		services, _ := doc["services"].(map[string]any)
		if len(services) == 0 {
			t.Errorf("%s has no services", path)
		}
		for name, service := range services {
			for _, kind := range []string{"secrets", "networks"} {
				list, _ := at(service, kind).([]any)
				for _, used := range list {
					if there, _ := doc[kind].(map[string]any); there[fmt.Sprint(used)] == nil {
						t.Errorf("%s: %s uses %v, which is not among the %s", path, name, used, kind)
					}
				}
			}
			for _, needed := range dependencies(at(service, "depends_on")) {
				if services[needed] == nil {
					t.Errorf("%s: %s depends on %s, which is none of the services", path, name, needed)
				}
			}
			grace, _ := time.ParseDuration(fmt.Sprint(at(service, "healthcheck", "start_period")))
			if at(service, "environment", "VITRINE_DATABASE_URL_FILE") != nil && grace < 2*patience {
				t.Errorf("%s: %s is unhealthy while it waits for PostgreSQL and S3", path, name)
			}
			if at(service, "image") == nil || at(service, "restart") == nil {
				t.Errorf("%s: %s has no image, or is not started again", path, name)
			}
		}
	}
}

// dependencies returns the services that must start before another, from a list or a map with
// conditions.
func dependencies(of any) (names []string) {
	switch of := of.(type) {
	case []any:
		for _, name := range of {
			names = append(names, fmt.Sprint(name))
		}
	case map[string]any:
		names = slices.Collect(maps.Keys(of))
	}
	return names
}

// inFolder runs a program on the files, and skips the test if it is not installed.
func inFolder(t *testing.T, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if path = "/usr/sbin/" + program; exec.Command(path, "-v").Run() != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "VITRINE_TLS_DOMAIN=vitrine.example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

func TestHAProxy(t *testing.T) {
	t.Parallel()
	inFolder(t, "haproxy", "-c", "-f", "haproxy/haproxy.cfg")
	inFolder(t, "haproxy", "-c", "-f", "compose/haproxy.cfg")
	inFolder(t, "haproxy", "-c", "-f", "sub-path/haproxy.cfg")
}

// nginx accepts its files, with an existing certificate and unprivileged ports.
func TestNginx(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"nginx/vitrine.conf", "sub-path/nginx.conf"} {
		t.Run(path, func(t *testing.T) { checkNginx(t, path) })
	}
}

func checkNginx(t *testing.T, path string) {
	t.Helper()
	sites, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	with := httptest.NewTLSServer(nil)
	defer with.Close()
	key, err := x509.MarshalPKCS8PrivateKey(with.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := strings.ReplaceAll(string(sites), "/etc/ssl/vitrine/", dir+"/")
	text = regexp.MustCompile(`listen (\[::\]:)?`).ReplaceAllString(text, "listen ${1}18")
	http := "access_log off; include sites.conf;"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		http += fmt.Sprintf(" %s_temp_path %s;", kind, kind)
	}
	for name, content := range map[string][]byte{"sites.conf": []byte(text), "nginx.conf": []byte("pid nginx.pid; events {} http { " + http + " }"),
		"fullchain.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: with.Certificate().Raw}),
		"key.pem":       pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inFolder(t, "nginx", "-t", "-q", "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
}

func TestCaddy(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"caddy/Caddyfile", "sub-path/Caddyfile"} {
		inFolder(t, "caddy", "validate", "--adapter", "caddyfile", "--config", path)
	}
}

// systemd accepts the units, with this test as the program, and their exposure is low.
func TestSystemd(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vitrine.service", "vitrine-work.service"} {
		unit, err := os.ReadFile("systemd/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(unit), "/usr/local/bin/vitrine", self)
		text = strings.ReplaceAll(text, "Documentation=man:vitrine(1)\n", "") // not installed
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := inFolder(t, "systemd-analyze", "verify", "--man=no", path); strings.Contains(out, name) {
			t.Errorf("%s", out)
		}
		inFolder(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", path)
	}
}
