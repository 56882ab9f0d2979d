package app_test

import (
	"os"
	"testing"

	"vitrine/internal/auth"
)

func TestMain(m *testing.M) {
	auth.LowerCostForTests()
	os.Exit(m.Run())
}
