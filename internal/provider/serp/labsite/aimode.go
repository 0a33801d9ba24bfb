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

// defaultClusters is how many product clusters there are on a page of AI mode
// unless the prompt steers otherwise.
const defaultClusters = 4

// The parameters of offersPath besides those of a search.
const (
	paramCluster  = "cluster" // the id of a product
	paramClusters = "of"      // how many products the page has
)

// writeAIMode writes a page of AI mode.
func writeAIMode(r *lab.Request) ([]byte, error) {
	r.Question.Search = true
	if r.Question.Sample != nil {
		r.Question.Assistant += " ai mode" // which has views of its own, apart from those of the overview
	}
	clusters := defaultClusters
	if r.Steering.Clusters != nil {
		clusters = *r.Steering.Clusters
	}
	return aiPage(r.Question, clusters, r.Compose(func(q world.Question) *world.Answer {
		return world.ComposeClusters(q, clusters)
	}))
}

// aiPage writes the answer to a question; clusters is how many products it was
// composed with.
func aiPage(q world.Question, clusters int, answer *world.Answer) ([]byte, error) {
	return fill("aimode", map[string]any{"Answer": answer, "Prompt": q.Prompt, "Offers": offersLink(q, clusters)})
}

// offersLink is where the offers for the products of an answer are, without the
// product's id.
func offersLink(q world.Question, clusters int) string {
	params := url.Values{
		"q": {q.Prompt}, "gl": {strings.ToLower(q.Country)}, "hl": {q.Language},
		paramClusters: {strconv.Itoa(clusters)},
	}
	if q.State != "" {
		params.Set("uule", q.State) // a place has products of its own
	}
	return offersPath + "?" + params.Encode()
}

// serveOffers serves what the market knows of a product on a page of AI mode.
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

// chip is a citation in the text: it shows the first of its sources and describes
// all of them in notes beside it.
type chip struct {
	ID      string
	Link    string
	Site    string
	More    int // how many sources it has besides the first
	Label   string
	Sources []world.Source
}

func newChip(sources []world.Source) chip {
	first := sources[0]
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, sources) // a hash takes everything
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

// Notes are comments in the page, one for each source, in which its scripts find
// what a chip stands for.
func (c chip) Notes() []template.HTML {
	notes := make([]template.HTML, len(c.Sources))
	for i, s := range c.Sources {
		note := lab.JSON([]any{[]any{c.ID, []any{s.Title, s.Snippet, nil, nil, []string{s.Site}, aiLink(s.URL)}}})
		// JSON escapes what would end a comment.
		notes[i] = template.HTML("<!--Lab1|" + html.EscapeString(string(note)) + "-->") //nolint:gosec // see above
	}
	return notes
}
