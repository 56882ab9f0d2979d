package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/cli"
)

// asProgram lets the test binary act as the program, in the environment of a container.
const asProgram = "DEPLOY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Run(context.Background(), append([]string{"vitrine"}, os.Args[1:]...), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// substituted matches a variable in a Compose file, with a default or an error message.
var substituted = regexp.MustCompile(`\$\{([A-Z0-9_]+):([-?])([^}]*)\}`)

// settings starts the program with the settings of a container, with secrets in files, and returns
// the effective settings.
func settings(t *testing.T, env map[string]string) map[string]any {
	t.Helper()
	secrets := t.TempDir()
	for name, text := range map[string]string{"database-url": "postgres://vitrine:secret@postgres/vitrine?sslmode=disable", "s3": "secret"} {
		for _, folder := range []string{secrets, filepath.Join(secrets, "vitrine")} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "config", "--json")
	cmd.Env = []string{asProgram + "=1", "VITRINE_DATA_DIR=" + t.TempDir()} // the image uses /data
	for name, value := range env {
		value = substituted.ReplaceAllStringFunc(value, func(text string) string {
			parts := substituted.FindStringSubmatch(text)
			if parts[2] == "?" {
				return "vitrine.example.org"
			}
			return parts[3]
		})
		cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(value, "/run/secrets", secrets))
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, cmd.Stderr)
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return all
}

func text(m any) map[string]string {
	all := map[string]string{}
	them, _ := m.(map[string]any)
	for name, value := range them {
		all[name] = fmt.Sprint(value)
	}
	return all
}

// The program accepts the settings of each container, and the expected ones are in effect.
func TestContainerSettings(t *testing.T) {
	t.Parallel()
	has := func(path string, in map[string]any, wanted ...string) {
		t.Helper()
		for _, name := range wanted {
			if value := fmt.Sprint(in[name]); value == "" || in[name] == nil {
				t.Errorf("%s: there is no %s in %v", path, name, in)
			}
		}
	}
	const one, three, kubernetes = "compose/one-node.yaml", "compose/three-nodes.yaml", "kubernetes/vitrine.yaml"
	has(one, settings(t, text(at(documents(t, one)[0], "services", "vitrine", "environment"))), "tls-domain", "backup-to")
	for _, node := range []string{"node1", "node2", "node3"} {
		in := settings(t, text(at(documents(t, three)[0], "services", node, "environment")))
		has(three, in, "database-url", "redis-url", "blob-url", "trusted-proxies", "metrics-addr")
	}
	for _, doc := range documents(t, kubernetes) {
		if doc["kind"] == "ConfigMap" {
			has(kubernetes, settings(t, text(doc["data"])), "database-url", "blob-url", "base-url", "metrics-addr")
		}
	}
}
