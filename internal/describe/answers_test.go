package describe_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/describe"
)

// answers is a description whose operations only contain successful responses.
const answers = `
openapi: 3.1.0
security: [{Bearer: []}, {}]
paths:
  /list:
    get: {operationId: list, responses: {'200': {description: OK}}}
    post:
      operationId: make
      security: [{Bearer: []}, {OAuth2: [write]}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'201': {description: Made}}
  /open:
    get: {operationId: open, security: [], responses: {'200': {description: OK}}}
  /shared/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: read, responses: {'200': {description: OK}}}
    delete:
      operationId: end
      security: [{Bearer: []}, {OAuth2: [write]}]
      responses: {'204': {description: Done}, '404': {description: Gone}}
  /find:
    get:
      operationId: find
      parameters: [{name: q, in: query, schema: {type: string}}]
      responses: {'200': {description: OK}}
  /odd:
    get: {operationId: odd, x-errors: [404, 422], responses: {'200': {description: OK}}}
  /none:
    get: {operationId: none, x-errors: [], responses: {'200': {description: OK}}}
components:
  responses:
    Wrong: {description: Wrong, x-statuses: [400, 413, 415, 422]}
    Refused: {description: Refused, x-statuses: [401, 403, 404]}
    Late: {description: Late, x-statuses: [408]}
    Limited: {description: Limited, x-statuses: [429]}
`

func TestStandardAnswers(t *testing.T) {
	t.Parallel()
	d, err := describe.Load([]byte(answers))
	if err != nil {
		t.Fatal(err)
	}
	completed, err := describe.Complete([]byte(answers))
	if err != nil {
		t.Fatal(err)
	}
	type document struct {
		Paths map[string]map[string]json.RawMessage
	}
	var served, generated document // the code generator reads the result of Complete
	for text, into := range map[string]*document{string(d.JSON()): &served, string(completed): &generated} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"get /list": "200 401 408 429", "post /list": "201 400 401 403 408 413 415 422 429", "get /open": "200 408 429",
		"get /shared/{id}": "200 400 401 403 404 408 429", "delete /shared/{id}": "204 400 401 403 404 408 429",
		"get /find": "200 400 401 408 429", "get /odd": "200 404 422", "get /none": "200",
	}
	for where, want := range want {
		method, path, _ := strings.Cut(where, " ")
		for name, doc := range map[string]document{"served": served, "generated": generated} {
			var op struct {
				Responses map[string]struct {
					Ref         string `json:"$ref"`
					Description string
				}
			}
			if err := json.Unmarshal(doc.Paths[path][method], &op); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(op.Responses)), " "); got != want {
				t.Errorf("%s, %s: %s, want %s", where, name, got, want)
			}
			if gone := op.Responses["404"]; method == "delete" && gone.Description != "Gone" {
				t.Errorf("%s, %s: what was spelled out is %+v", where, name, gone)
			}
			if got := op.Responses["408"].Ref; strings.Contains(want, "408") && got != "#/components/responses/Late" {
				t.Errorf("%s, %s: 408 is %s", where, name, got)
			}
		}
	}
}

func TestStandardAnswersRefuse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Replace(answers, "x-errors: [404, 422]", "x-errors: [409]", 1):         "odd: no response stands for the 409",
		strings.Replace(answers, "x-statuses: [408]", "x-statuses: [408, 429]", 1):     "two responses stand for 429",
		strings.Replace(answers, "get: {operationId: list", "get: {operationId: [", 1): "",
	} {
		if _, err := describe.Load([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loaded, or another error: %v; want %s", err, want)
		}
		if _, err := describe.Complete([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("completed, or another error: %v; want %s", err, want)
		}
	}
}
