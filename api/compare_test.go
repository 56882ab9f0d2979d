package description_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// compare lists the differences between our facts and the contract's that are not allowed.
func compare(ours, contract facts) []string {
	var found []string
	for _, owner := range slices.Sorted(maps.Keys(reached(ours, ours))) {
		if contract[owner] == nil {
			if !extraMethod(owner) {
				found = append(found, owner+": the contract has no such thing")
			}
			continue
		}
		found = append(found, compareOwner(owner, ours[owner], contract[owner])...)
	}
	for owner := range reached(contract, ours) {
		if ours[owner] == nil {
			found = append(found, owner+": the contract has it, v3.yaml does not")
		}
	}
	slices.Sort(found)
	return found
}

func compareOwner(owner string, ours, contract map[string]string) []string {
	var found []string
	for place, value := range ours {
		want, ok := contract[place]
		switch {
		case !ok && mayAdd(owner, place, value, ours):
		case !ok:
			found = append(found, fmt.Sprintf("%s %s: %q is not in the contract", owner, place, value))
		case value != want:
			found = append(found, fmt.Sprintf("%s %s: %q, but in the contract %q", owner, place, value, want))
		}
	}
	for place, want := range contract {
		if _, ok := ours[place]; !ok && !mayLack(owner, place) {
			found = append(found, fmt.Sprintf("%s %s: %q of the contract is missing", owner, place, want))
		}
	}
	return found
}

var schemaName = regexp.MustCompile(`\$\w+`)

// reached returns the operations of chosen, and every schema in f that they refer to.
func reached(f, chosen facts) map[string]bool {
	seen := map[string]bool{}
	var follow func(owner string)
	follow = func(owner string) {
		if seen[owner] {
			return
		}
		seen[owner] = true
		for place, value := range f[owner] {
			for _, name := range schemaName.FindAllString(place+" "+value, -1) {
				follow(name)
			}
		}
	}
	for owner := range chosen {
		if !strings.HasPrefix(owner, "$") && f[owner] != nil {
			follow(owner)
		}
	}
	return seen
}

func extraMethod(owner string) bool {
	return strings.HasPrefix(owner, "head ") || strings.HasPrefix(owner, "options ")
}

// mayAdd reports whether v3.yaml may add something to the contract: our
// own limits, and the differences listed in behaviour.md, section 1.
func mayAdd(owner, place, value string, ours map[string]string) bool {
	status, content, _ := strings.Cut(place, " ")
	isError := content == "" || content == "application/json is" && value == "$Error"
	switch {
	case strings.Contains(" "+place, " limit "):
		return !regexp.MustCompile(`^query (page|per|limit) `).MatchString(place)
	case strings.Contains(place, "header X-RateLimit-Remaining"):
		return true
	case place == "is" && value == "object": // repeats the type of each schema of the choice
		return isChoice(ours)
	case slices.Contains([]string{"$ConnectableList", "$EverythingList", "$ActivitySubject"}, owner):
		return strings.HasSuffix(place, "oneOf $PendingBlock") || value == "$PendingBlock"
	case owner == "post /v3/oauth/token":
		return status == "429" || strings.HasSuffix(place, "enum invalid_scope")
	case slices.Contains([]string{"405", "413", "415", "500", "503"}, status):
		return isError
	case status == "400":
		return isError && takesInput(ours)
	case owner == "post /v3/blocks/batch":
		return strings.HasPrefix(place, "body application/json.channels")
	}
	return false
}

func isChoice(schema map[string]string) bool {
	for place := range schema {
		if strings.HasPrefix(place, "oneOf $") {
			return true
		}
	}
	return false
}

// mayLack reports whether v3.yaml may omit a part of the contract: a batch
// names its channels in one of two fields.
func mayLack(owner, place string) bool {
	return owner == "post /v3/blocks/batch" && place == "body application/json.channel_ids required"
}

func takesInput(op map[string]string) bool {
	for place := range op {
		if strings.HasPrefix(place, "path ") || strings.HasPrefix(place, "query ") || strings.HasPrefix(place, "body ") {
			return true
		}
	}
	return false
}
