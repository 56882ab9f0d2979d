package deploy_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/obs"
)

// exported returns the labels of each metric by name: those of a server that has handled requests
// and jobs, and those that only some servers have.
func exported(t *testing.T) map[string]map[string]bool {
	t.Helper()
	r := apptest.New(t, func(c *config.Config) { c.MetricsAddr = "127.0.0.1:0" })
	r.Listen()
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	_, addr, _ := strings.Cut(r.Log("serving metrics")[0], "addr=")
	res, err := http.Get("http://" + strings.TrimSpace(addr) + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	running, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}

	some := obs.NewMetrics("v1", "abc")
	some.ObserveJob("mail", "done", time.Second)
	some.ObserveOutgoing(t.Context(), obs.Asked{To: obs.Mail, Operation: "send", Outcome: "taken", Took: time.Second})
	some.WatchTraces(func() obs.TraceStats { return obs.TraceStats{Sent: 1} })
	some.ObserveRefusal("requests", "free")
	some.WatchBackups(func(context.Context) (obs.Backup, error) {
		return obs.Backup{Last: time.Unix(1, 0), Failed: time.Unix(1, 0)}, nil
	})
	some.WatchSite(func(context.Context) obs.Site {
		return obs.Site{Certificates: map[string]time.Time{"example.org": time.Unix(1, 0)}}
	})
	some.WatchReplicas(func() ([]obs.Replica, obs.SkippedReplicas) {
		return []obs.Replica{{Name: "db2:5432"}}, obs.SkippedReplicas{}
	})
	some.WatchLimits(func() obs.Limits { return obs.Limits{} })
	w := httptest.NewRecorder()
	some.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))

	sample := regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `)
	label := regexp.MustCompile(`([a-z_]+)="`)
	found := map[string]map[string]bool{}
	for _, m := range sample.FindAllStringSubmatch(string(running)+w.Body.String(), -1) {
		if found[m[1]] == nil {
			found[m[1]] = map[string]bool{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			found[m[1]][l[1]] = true
		}
	}
	return found
}

// expressions returns the expressions of the dashboard and of the alerts.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("grafana/vitrine.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	groups, _ := documents(t, "prometheus/alerts.yaml")[0]["groups"].([]any)
	rules, _ := at(groups[0], "rules").([]any)
	for _, rule := range rules {
		expr, _ := at(rule, "expr").(string)
		all = append(all, expr)
		for _, key := range []string{"summary", "description"} {
			if at(rule, "annotations", key) == nil {
				t.Errorf("%v has no %s", at(rule, "alert"), key)
			}
		}
	}
	return all
}

// Every metric and label in the dashboard and the alerts exists.
func TestMetricsAreThere(t *testing.T) {
	t.Parallel()
	have := exported(t)
	all := expressions(t)
	if len(all) < 30 {
		t.Errorf("%d expressions", len(all))
	}
	metric := regexp.MustCompile(`\b((?:vitrine|process|go)_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher := regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouped := regexp.MustCompile(`\bby \(([a-z_, ]+)\)`)
	ofScrape := map[string]bool{"job": true, "instance": true}
	for _, expr := range all {
		labels := map[string]bool{}
		for _, m := range metric.FindAllStringSubmatch(expr, -1) {
			if have[m[1]] == nil {
				t.Errorf("no %s, which %s wants", m[1], expr)
				continue
			}
			for l := range have[m[1]] {
				labels[l] = true
			}
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if !have[m[1]][l[1]] && !ofScrape[l[1]] {
					t.Errorf("%s has no label %s, which %s wants", m[1], l[1], expr)
				}
			}
		}
		for _, m := range grouped.FindAllStringSubmatch(expr, -1) {
			for l := range strings.SplitSeq(m[1], ",") {
				if l = strings.TrimSpace(l); !labels[l] && !ofScrape[l] {
					t.Errorf("nothing of %s has the label %s", expr, l)
				}
			}
		}
	}
}

// Each rule fires when it should and only then, even if a series is missing.
func TestAlerts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("promtool"); err != nil && os.Getenv("VITRINE_TEST_REQUIRE_PROMTOOL") != "" {
		t.Fatal(err)
	}
	inFolder(t, "promtool", "check", "rules", "prometheus/alerts.yaml")
	inFolder(t, "promtool", "test", "rules", "prometheus/alerts_test.yaml")
}
