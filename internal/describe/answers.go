package describe

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Extensions with which a document omits repetition. They are not served.
const (
	// hintStatuses lists, in a response of the components, the statuses that it stands for.
	hintStatuses = "x-statuses"
	// hintErrors lists, in an operation, the statuses of its errors if they differ from the standard
	// ones.
	hintErrors = "x-errors"
)

// Complete returns a description as JSON, with the error responses that Load adds to it.
func Complete(text []byte) ([]byte, error) {
	tree, err := parse(text)
	if err == nil {
		err = complete(tree)
	}
	if err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	var out bytes.Buffer
	err = writeJSON(&out, tree)
	return out.Bytes(), err
}

// complete adds to each operation, in place, the error responses that follow from its properties,
// if the document has a response for them. It keeps explicit responses.
func complete(doc yaml.MapSlice) error {
	standard, err := standardAnswers(doc)
	if err != nil {
		return err
	}
	paths, _ := get(doc, "paths").(yaml.MapSlice)
	for _, path := range paths {
		shared, _ := get(path.Value, "parameters").([]any)
		item, _ := path.Value.(yaml.MapSlice)
		for i := range item {
			op, ok := item[i].Value.(yaml.MapSlice)
			if !ok || !slices.Contains(methods, fmt.Sprint(item[i].Key)) {
				continue
			}
			statuses := errorStatuses(fmt.Sprint(path.Key), op, shared, get(doc, "security"))
			if listed, ok := get(op, hintErrors).([]any); ok {
				statuses = statuses[:0]
				for _, status := range listed {
					if standard[fmt.Sprint(status)] == "" {
						return fmt.Errorf("%v: no response stands for the %v of %s", get(op, "operationId"), status, hintErrors)
					}
					statuses = append(statuses, fmt.Sprint(status))
				}
			}
			item[i].Value = answered(op, statuses, standard)
		}
	}
	return nil
}

// standardAnswers returns the references of the responses that stand for statuses.
func standardAnswers(doc yaml.MapSlice) (map[string]string, error) {
	found := map[string]string{}
	responses, _ := get(doc, "components", "responses").(yaml.MapSlice)
	for _, response := range responses {
		statuses, _ := get(response.Value, hintStatuses).([]any)
		for _, status := range statuses {
			key := fmt.Sprint(status)
			if found[key] != "" {
				return nil, fmt.Errorf("two responses stand for %s", key)
			}
			found[key] = fmt.Sprintf("#/components/responses/%v", response.Key)
		}
	}
	return found, nil
}

// errorStatuses returns the errors that follow from the properties of an operation. A document
// only gets those for which it has a response.
func errorStatuses(path string, op yaml.MapSlice, shared []any, fallback any) []string {
	own, _ := get(op, "parameters").([]any)
	byID, body := strings.Contains(path, "{"), get(op, "requestBody") != nil
	tokens, _, scope := security(op, fallback)
	statuses := []string{"408", "429", "500", "503"}
	if tokens {
		statuses = append(statuses, "401")
	}
	if len(own)+len(shared) > 0 || body {
		statuses = append(statuses, "400")
	}
	if byID || scope == "write" {
		statuses = append(statuses, "403")
	}
	if byID {
		statuses = append(statuses, "404")
	}
	if body {
		statuses = append(statuses, "413", "415", "422")
	}
	return statuses
}

// answered returns an operation with the missing responses added, by status.
func answered(op yaml.MapSlice, statuses []string, standard map[string]string) yaml.MapSlice {
	responses, _ := get(op, "responses").(yaml.MapSlice)
	responses = slices.Clone(responses)
	for _, status := range statuses {
		if ref := standard[status]; ref != "" && get(responses, status) == nil {
			responses = append(responses, yaml.MapItem{Key: status, Value: yaml.MapSlice{{Key: "$ref", Value: ref}}})
		}
	}
	slices.SortStableFunc(responses, func(a, b yaml.MapItem) int {
		return strings.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key))
	})
	made := slices.Clone(op)
	for i := range made {
		if made[i].Key == "responses" {
			made[i].Value = responses
		}
	}
	return made
}
