package pdf

import (
	"os"
	"testing"

	"vitrine/internal/media/mediatest"
)

func TestMain(m *testing.M) {
	mediatest.KeepModules()
	os.Exit(m.Run())
}
