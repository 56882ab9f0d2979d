package site_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/embeddings"
	"vitrine/internal/embeddings/embeddingstest"
	"vitrine/internal/site/catalog"
	"vitrine/internal/store/storetest"
)

// Search finds blocks by meaning, a block's page leads to similar ones, and the operator's page says what is sent where.
func TestMeaning(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		s := embeddingstest.New(t)
		r := apptest.Boot(t, o, func(c *config.Config) { c.Embeddings.URL, c.Embeddings.Model = s.Endpoint(), "small<b>" })
		finder := r.S.App.Finder
		finder.Meaning.QueryTimeout = time.Minute
		operator := first(t, r)
		r.Channel("eve", "Garden", "public")
		eve, guest := entered(t, r, "eve"), newBrowser(t, r)
		for _, text := range []string{"green moss", "green lichen", "old boat"} {
			eve.post("/eve/garden/add", "value", text).leads("/eve/garden")
		}
		r.WorkJobs()
		block := guest.get("/eve/garden").find(`href="(/block/[0-9]+)`)
		guest.get(block).want(200).hides(block + "/similar")
		guest.get("/search?q=bryophyte").want(200).hides("green moss")
		if err := finder.EmbedBlocks(t.Context()); err != nil {
			t.Fatal(err)
		}
		guest.get("/search?q=bryophyte").want(200).says("green moss", "green lichen").hides("old boat")
		guest.get("/search?q=moss").want(200).says("green moss", "green lichen").hides("old boat")
		guest.get("/search?q=moss&exact=1").want(200).says("green moss").hides("green lichen")
		guest.get("/search?q=moss&sort=newest").want(200).says("green moss").hides("green lichen")
		found := guest.get("/search?q=green+moss").find(`href="(/block/[0-9]+)`)
		guest.get(found).want(200).says(`hx-get="` + found + `/similar"`)
		guest.get(found + "/similar").want(200).says("green lichen").hides("old boat")

		operator.get("/operator").want(200).says("Search by meaning", "<code>127.0.0.1:", "Private texts are not sent", "small<b>").hides("Last error", s.Endpoint())
		eve.post("/eve/garden/add", "value", "wet dog").leads("/eve/garden")
		s.Answer(func(out http.ResponseWriter, _ *http.Request, _ []string) bool { out.WriteHeader(401); return true })
		if finder.EmbedBlocks(t.Context()) == nil {
			t.Error("a wrong key is accepted")
		}
		operator.get("/operator").want(200).says("The endpoint refused the key. Check --embeddings-key.")
	})
}

// Every failure of the endpoint has a text in every language.
func TestMeaningErrors(t *testing.T) {
	t.Parallel()
	for _, lang := range catalog.New().Languages {
		for _, code := range embeddings.Codes {
			if !lang.Has("operator.meaning.error." + string(code)) {
				t.Errorf("%s has no text for %s", lang.Name, code)
			}
		}
	}
}
