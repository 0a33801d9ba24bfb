package labsite

import (
	"fmt"
	"hash/fnv"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// defaultClusters is the number of product clusters on a page of AI mode unless the prompt steers
// it.
const defaultClusters = 4

// Parameters of offersPath in addition to the parameters of a search.
const (
	paramCluster  = "cluster" // the id of a product
	paramClusters = "of"      // the number of products on the page
)

// writeAIMode writes a page of AI mode.
func writeAIMode(r *lab.Request) ([]byte, error) {
	r.Question.Search = true
	if r.Question.Sample != nil {
		r.Question.Assistant += " ai mode" // its opinions differ from the opinions of the overview
	}
	clusters := defaultClusters
	if r.Steering.Clusters != nil {
		clusters = *r.Steering.Clusters
	}
	return aiPage(r.Question, clusters, r.Compose(func(q world.Question) *world.Answer {
		return world.ComposeClusters(q, clusters)
	}))
}

// aiPage writes the answer to a question. clusters is the number of products with which the answer
// was composed.
func aiPage(q world.Question, clusters int, answer *world.Answer) ([]byte, error) {
	labels, _ := world.LabelsIn(q.Language)
	return fill("aimode", map[string]any{"Answer": answer, "Prompt": q.Prompt, "Offers": offersLink(q, clusters), "Labels": labels})
}

// offersLink returns the address of the offers for the products of an answer, without a product's
// id.
func offersLink(q world.Question, clusters int) string {
	params := url.Values{
		"q": {q.Prompt}, "gl": {strings.ToLower(q.Country)}, "hl": {q.Language},
		paramClusters: {strconv.Itoa(clusters)},
	}
	if q.State != "" {
		params.Set("uule", q.State) // the products depend on the place
	}
	return offersPath + "?" + params.Encode()
}

// serveOffers serves the offers for a product on a page of AI mode.
func serveOffers(w http.ResponseWriter, r *http.Request) {
	question := locate(r)
	question.Search = true
	params := r.URL.Query()
	clusters, err := strconv.Atoi(params.Get(paramClusters))
	if err != nil || clusters < 0 || clusters > lab.MaxClusters {
		http.NotFound(w, r)
		return
	}
	product, found := world.ComposeClusters(question, clusters).Cluster(params.Get(paramCluster))
	if !found {
		http.NotFound(w, r)
		return
	}
	serve(w, r, "offers", product)
}

// chip is a citation in the text. It shows its first source; notes next to the chip describe all
// sources.
type chip struct {
	ID      string
	Link    string
	Site    string
	More    int // the number of sources after the first
	Label   string
	Sources []world.Source
}

func newChip(sources []world.Source) chip {
	first := sources[0]
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, sources) // writing to a hash never fails
	c := chip{
		ID:      fmt.Sprintf("%016x", h.Sum64()),
		Link:    aiLink(first.URL),
		Site:    first.Site,
		More:    len(sources) - 1,
		Label:   first.Site,
		Sources: sources,
	}
	if c.More > 0 {
		c.Label += " (+" + strconv.Itoa(c.More) + ")"
	}
	c.Label += " - " + first.Title + ". View related links"
	return c
}

// Notes returns comments for the page, one for each source. The page's scripts read the sources of
// a chip from them.
func (c chip) Notes() []template.HTML {
	notes := make([]template.HTML, len(c.Sources))
	for i, s := range c.Sources {
		note := lab.JSON([]any{[]any{c.ID, []any{s.Title, s.Snippet, nil, nil, []string{s.Site}, aiLink(s.URL)}}})
		// JSON escapes the characters that would end a comment.
		notes[i] = template.HTML("<!--Lab1|" + html.EscapeString(string(note)) + "-->")
	}
	return notes
}
