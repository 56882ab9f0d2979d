package core

import "slices"

// SwitchOutbox switches the recording of changes, to measure its cost.
func SwitchOutbox(on bool) {
	subscribers = slices.Clip(subscribers[:2])
	if on {
		subscribers = append(subscribers, recordChanges)
	}
}
