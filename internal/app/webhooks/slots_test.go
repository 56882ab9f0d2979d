package webhooks

import (
	"testing"

	"vitrine/internal/domain"
	storewebhooks "vitrine/internal/store/webhooks"
)

// An account uses one of the slots for receivers that are slow or fail.
func TestSlotsOfStrained(t *testing.T) {
	t.Parallel()
	s := newSlots()
	enter := func(id domain.WebhookID, user domain.UserID, strained bool) (func(), bool) {
		return s.enter(storewebhooks.Due{ID: id, User: user, Strained: strained})
	}
	leave, ok := enter(1, 1, true)
	if _, again := enter(2, 1, true); !ok || again {
		t.Errorf("first %t, second %t", ok, again)
	}
	if _, ok := enter(3, 2, true); !ok {
		t.Error("another account waits")
	}
	if _, ok := enter(4, 1, false); !ok {
		t.Error("a healthy receiver waits")
	}
	leave()
	if _, ok := enter(2, 1, true); !ok {
		t.Error("the slot is not free again")
	}
}
