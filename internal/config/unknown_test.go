package config_test

import (
	"slices"
	"testing"

	"vitrine/internal/config"
)

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	got := config.UnknownVariables([]string{"VITRINE_DATADIR=/x", "VITRINE_ADDR=:80", "PATH=/bin", "VITRINE_SERVICE_HOST=10.0.0.1", "VITRINE_PORT_80_TCP=x", "VITRINE_TEST_POSTGRES=p", "VITRINE_PASSWORD=p",
		"VITRINE_BASEURL=", "VITRINE_COMPLETELY_DIFFERENT=1", "VITRINE_", "VITRINE_SMTP_PASSWORT=secret"})
	want := []config.Unknown{{"VITRINE_", ""}, {"VITRINE_BASEURL", "VITRINE_BASE_URL"}, {"VITRINE_COMPLETELY_DIFFERENT", ""},
		{"VITRINE_DATADIR", "VITRINE_DATA_DIR"}, {"VITRINE_SMTP_PASSWORT", "VITRINE_SMTP_PASSWORD"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
