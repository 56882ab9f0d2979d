package domain_test

import (
	"slices"
	"testing"
	"time"

	"vitrine/internal/domain"
)

func TestOnceSort(t *testing.T) {
	t.Parallel()
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	// The blurhashes are of a red, a green, a grey and a blue image.
	keys := []domain.SortKeys{
		{Connection: 1, ConnectedAt: at(5), Title: "zebra", Blurhash: "00TI:j"},
		{Connection: 2, ConnectedAt: at(3), Title: "“Äpfel”", Blurhash: "0007BG"},
		{Connection: 3, ConnectedAt: at(4), Title: "", Blurhash: "00Eyb["},
		{Connection: 4, ConnectedAt: at(2), Title: "apfel", Blurhash: "000036"},
		{Connection: 5, ConnectedAt: at(1), Title: "Birne", Blurhash: "?"},
	}
	for by, want := range map[domain.OnceSort][]domain.ConnectionID{
		domain.OnceByTitle:  {4, 2, 5, 1, 3},
		domain.OnceByNewest: {1, 3, 2, 4, 5},
		domain.OnceByOldest: {5, 4, 2, 3, 1},
		domain.OnceByColour: {1, 2, 4, 3, 5},
	} {
		if got := by.Sorted(keys); !slices.Equal(got, want) {
			t.Errorf("by %s: %v, want %v", by, got, want)
		}
	}
}
