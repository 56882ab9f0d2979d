package description_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/domain"
)

// namedLimits are the domain's limits, each with the places at which descriptions state it: the
// name of a field, a parameter or a schema, and the keyword. No description states the limits
// without a place.
var namedLimits = map[string]struct {
	value int
	in    []string
}{
	"MaxTitle":           {domain.MaxTitle, []string{"title maxLength", "name maxLength", "original_source_title maxLength", "note maxLength"}},
	"MaxDescription":     {domain.MaxDescription, []string{"description maxLength", "bio maxLength"}},
	"MaxMarkdown":        {domain.MaxMarkdown, []string{"value maxLength", "content maxLength"}},
	"MaxComment":         {domain.MaxComment, []string{"body maxLength"}},
	"MaxAnnouncement":    {domain.MaxAnnouncement, nil},
	"MaxReadOnlyReason":  {domain.MaxReadOnlyReason, []string{"reason maxLength"}},
	"MaxAltText":         {domain.MaxAltText, []string{"alt_text maxLength"}},
	"MaxURL":             {domain.MaxURL, []string{"avatar_url maxLength", "source maxLength", "address maxLength", "url maxLength"}},
	"MaxSourceURL":       {domain.MaxSourceURL, []string{"original_source_url maxLength"}},
	"MaxEmail":           {domain.MaxEmail, []string{"email maxLength"}},
	"MaxSearchQuery":     {domain.MaxSearchQuery, []string{"query maxLength"}},
	"MaxSavedQuery":      {domain.MaxSavedQuery, nil},
	"MaxQuote":           {domain.MaxQuote, []string{"exact maxLength", "prefix maxLength", "suffix maxLength"}},
	"MaxNote":            {domain.MaxNote, nil},
	"MaxInvitationToken": {domain.MaxInvitationToken, []string{"invite_token maxLength"}},
	"MaxFilename":        {domain.MaxFilename, []string{"filename maxLength"}},
	"MinContentType":     {domain.MinContentType, []string{"content_type minLength"}},
	"MaxContentType":     {domain.MaxContentType, []string{"content_type maxLength"}},
	"MaxSlugLength":      {domain.MaxSlugLength, []string{"slug maxLength", "group maxLength"}},
	"MaxOnceKey":         {domain.MaxOnceKey, nil},
	"MaxAuditLabel":      {domain.MaxAuditLabel, []string{"actor maxLength", "about maxLength"}},
	"MaxReportText":      {domain.MaxReportText, []string{"text maxLength"}},

	"MaxTargets":         {domain.MaxTargets, []string{"channels maxItems", "ChannelIds maxItems"}},
	"MaxBatch":           {domain.MaxBatch, []string{"blocks maxItems"}},
	"MaxUploads":         {domain.MaxUploads, []string{"files maxItems"}},
	"MaxCollaborators":   {domain.MaxCollaborators, []string{"collaborator_ids maxItems", "CollaboratorIDs maxItems"}},
	"MaxPerPage":         {domain.MaxPerPage, []string{"per maximum", "limit maximum"}},
	"MaxOrdered":         {domain.MaxOrdered, []string{"OrderedIDs maxItems"}},
	"MaxRemoved":         {domain.MaxRemoved, nil},
	"MaxMentions":        {domain.MaxMentions, nil},
	"MaxApplications":    {domain.MaxApplications, nil},
	"MaxOwnTokens":       {domain.MaxOwnTokens, nil},
	"MaxPasskeys":        {domain.MaxPasskeys, nil},
	"MaxSavedSearches":   {domain.MaxSavedSearches, nil},
	"MaxBlockHighlights": {domain.MaxBlockHighlights, nil},
	"MaxSelectors":       {domain.MaxSelectors, []string{"selector maxItems"}},
	"MaxHighlights":      {domain.MaxHighlights, nil},
	"MaxPositions":       {domain.MaxPositions, nil},
	"MaxSignUpLinks":     {domain.MaxSignUpLinks, nil},
	"MaxPlaces":          {domain.MaxPlaces, []string{"places maximum"}},
	"MaxLinkDays":        {domain.MaxLinkDays, []string{"days maximum"}},
	"MaxPeople":          {domain.MaxPeople, nil},
	"MaxLegalPages":      {domain.MaxLegalPages, nil},
	"MaxPins":            {domain.MaxPins, nil},
	"MaxFeatured":        {domain.MaxFeatured, []string{"featured maxItems"}},
	"MaxRefusedNoted":    {domain.MaxRefusedNoted, nil},
	"MaxImportWhat":      {domain.MaxImportWhat, []string{"what maxItems"}},
	"MaxImportName":      {domain.MaxImportName, nil},
	"MaxImportToken":     {domain.MaxImportToken, []string{"token maxLength"}},
	"MaxImportChannels":  {domain.MaxImportChannels, nil},
	"MaxUnread":          {domain.MaxUnread, nil},
	"MaxExports":         {domain.MaxExports, nil},
	"MaxSnapshots":       {domain.MaxSnapshots, nil},
	"MaxWebhooks":        {domain.MaxWebhooks, nil},
	"MaxWebhookEvents":   {domain.MaxWebhookEvents, []string{"events maxItems"}},
	"MaxWebhookTests":    {domain.MaxWebhookTests, nil},
	"MaxChangesWait":     {domain.MaxChangesWait, []string{"wait maximum"}},
	"MaxChangesCursor":   {domain.MaxChangesCursor, []string{"cursor maxLength", "Last-Event-ID maxLength"}},
	"MaxBulk":            {domain.MaxBulk, []string{"operations maxItems"}},

	"MaxConditions": {domain.MaxConditions, []string{"metadata maxItems"}},
	"MaxCondition":  {domain.MaxCondition, []string{"metadata maxLength"}},

	"MaxMetadataKeys":        {domain.MaxMetadataKeys, []string{"Metadata maxProperties", "MetadataInput maxProperties"}},
	"MaxMetadataBytes":       {domain.MaxMetadataBytes, nil},
	"MaxMetadataKeyLength":   {domain.MaxMetadataKeyLength, []string{"Metadata propertyNames", "MetadataInput propertyNames"}},
	"MaxMetadataValueLength": {domain.MaxMetadataValueLength, []string{"Metadata maxLength", "MetadataInput maxLength"}},

	"MaxPasskeyName":   {domain.MaxPasskeyName, nil},
	"MaxPasskeyAnswer": {domain.MaxPasskeyAnswer, nil},
	"MinPassword":      {domain.MinPassword, nil},
	"MaxPassword":      {domain.MaxPassword, []string{"password maxLength"}},
	"MaxRedirectURIs":  {domain.MaxRedirectURIs, []string{"redirect_uris maxItems"}},
	"MaxRedirectURI":   {domain.MaxRedirectURI, nil},
	"MaxClientID":      {domain.MaxClientID, nil},
	"MaxState":         {domain.MaxState, nil},
}

// Every limit in a description is one of the domain, and vice versa.
func TestLimits(t *testing.T) {
	t.Parallel()
	want := map[string]int{}
	for name, l := range namedLimits {
		for _, field := range l.in {
			if _, twice := want[field]; twice {
				t.Errorf("%s: %s is that of another limit, too", name, field)
			}
			want[field] = l.value
		}
	}
	stated := map[string]bool{}
	for file, text := range map[string][]byte{"v3.yaml": description.V3, "v2.yaml": description.V2, "ext.yaml": description.Ext, "compat.yaml": description.Compat} {
		var doc any
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		eachLimit(doc, "", func(field string, value any) {
			stated[field] = true
			if n, named := want[field]; !named {
				t.Errorf("%s: %s: %v is no limit of internal/domain/limits.go", file, field, value)
			} else if fmt.Sprint(value) != strconv.Itoa(n) {
				t.Errorf("%s: %s is %v, but %d in internal/domain/limits.go", file, field, value, n)
			}
		})
	}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if !stated[field] {
			t.Errorf("no description states %s", field)
		}
	}
}

// Enumerations and formats that both the descriptions and the use cases define are the same
// in both.
func TestEnumerations(t *testing.T) {
	t.Parallel()
	var doc any
	if err := yaml.Unmarshal(description.V3, &doc); err != nil {
		t.Fatal(err)
	}
	at := func(part any, path ...string) any {
		for _, key := range path {
			part = part.(map[string]any)[key]
		}
		return part
	}
	if got := fmt.Sprint(at(doc, "components", "schemas", "FileExtension", "enum")); got != fmt.Sprint(domain.FileExtensions) {
		t.Errorf("file name extensions: %s, want %s", got, domain.FileExtensions)
	}
	file := at(doc, "paths", "/v3/uploads/presign", "post", "requestBody", "content", "application/json", "schema", "properties",
		"files", "items", "properties", "content_type", "pattern")
	if file != domain.ContentTypePattern {
		t.Errorf("media types: %s, want %s", file, domain.ContentTypePattern)
	}
}

// namedLimits contains all of the domain's limits.
func TestLimitsAreAll(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/domain/limits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, name := range spec.Names {
				declared[name.Name] = true
				if _, ok := namedLimits[name.Name]; !ok {
					t.Errorf("the table does not say where the descriptions state %s", name)
				}
			}
		}
		return true
	})
	for name := range namedLimits {
		if !declared[name] {
			t.Errorf("internal/domain/limits.go has no %s", name)
		}
	}
}

var (
	bounds    = []string{"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minProperties", "maxProperties"}
	keyLength = regexp.MustCompile(`\{1,(\d+)\}\$$`)
)

// eachLimit calls found for each bound in a part of a description. A minimum of 1 only
// means that the value is not empty, and is not a bound.
func eachLimit(part any, field string, found func(field string, value any)) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			eachLimit(p, field, found)
		}
	case map[string]any:
		if name, ok := part["name"].(string); ok && part["in"] != nil { // a parameter
			field = name
		}
		for key, value := range part {
			switch names, isMap := value.(map[string]any); {
			case isMap && (key == "properties" || key == "schemas"):
				for name, p := range names {
					eachLimit(p, name, found)
				}
			case isMap && key == "propertyNames":
				if m := keyLength.FindStringSubmatch(fmt.Sprint(names["pattern"])); m != nil {
					found(field+" "+key, m[1])
				}
			case slices.Contains(bounds, key) && !isMap && !(strings.HasPrefix(key, "min") && fmt.Sprint(value) == "1"):
				found(field+" "+key, value)
			default:
				eachLimit(value, field, found)
			}
		}
	}
}
