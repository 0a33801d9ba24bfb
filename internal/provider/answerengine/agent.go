package answerengine

import (
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Limits on what is read of an answer. Real answers have up to about fifty pages.
const (
	maxPages = 1000
	maxLink  = 4 << 10 // bytes
	maxLinks = 1 << 20 // total bytes of the links of all chips
)

// apiSite is the site name of the official API.
const apiSite = "perplexity"

// api describes the official API.
var api = provider.API{
	Name:      apiSite,
	URL:       "https://api.perplexity.ai",
	Model:     provider.DefaultModel(apiSite),
	Place:     "country, state",
	KeyHeader: "Authorization",
	KeyPrefix: "Bearer ",
}

// readAgent reads an answer of the Agent API, streamed or whole.
func readAgent(document []byte, want answer.Options) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadPieces(document, func(p rawdoc.Pieces) error {
		response, usage, err := responses.Assemble(p)
		if cost := usage.Object("cost"); cost["currency"] == nil || cost.Text("currency") == "USD" {
			want.Cost(cost.Number("total_cost"))
		}
		if err == nil {
			err = responses.Check(response)
		}
		if err == nil {
			found, err = readItems(response, want)
		}
		return err
	})
	return found, err
}

// readItems reads the answer in the items of a complete response.
func readItems(response loosejson.Object, want answer.Options) (*earshot.Answer, error) {
	r := agentReader{reader: reader{answer: &earshot.Answer{Model: answer.ModelName(response.Text("model"))}}, ids: map[int]answer.Citation{}}
	for _, item := range response.Objects("output") {
		r.item(item)
	}
	text := strings.Join(r.texts, "\n\n")
	text = answer.WithoutThoughts(strings.ToValidUTF8(text[:min(len(text), webtext.MaxText)], ""))
	switch said := strings.TrimSpace(text) != ""; {
	case !said && r.refused:
		return nil, vendorapi.Blocked("the assistant refused to answer")
	case !said:
		return nil, upstream.Fail(earshot.ReasonEmpty, "the answer has no text")
	}
	r.number()
	mdtext.Rewrite(text, "[", r.apiChips()).Fill(r.answer, want.Markdown)
	r.sources.Fill(r.answer)
	if len(r.answer.CitationPills) == 0 {
		for _, page := range r.noted {
			r.sources.Chip([]answer.Citation{page})
		}
		r.sources.Fill(r.answer)
	}
	return r.answer, nil
}

// agentReader collects an answer from the items of a response.
type agentReader struct {
	reader
	found   []answer.Citation       // search results in order
	ids     map[int]answer.Citation // search results by the id that marks in the text name
	noted   []answer.Citation       // pages of annotations, for texts without marks
	texts   []string
	refused bool
}

func (r *agentReader) item(item loosejson.Object) {
	switch item.Text("type") {
	case "search_results":
		r.answer.SearchQueries = answer.AddQueries(r.answer.SearchQueries, item.Texts("queries", "query")...)
		for _, result := range item.Objects("results") {
			r.result(result)
		}
	case "fetch_url_results":
		for _, page := range describedPages(item.Objects("contents")) {
			r.addSource(page)
		}
	case "message", "": // a stream without output_item events leaves the type ""
		if role := item.Text("role"); role != "assistant" && role != "" || item.Text("phase") == "commentary" {
			return
		}
		for _, part := range item.Objects("content") {
			r.part(part)
		}
	}
}

// result adds a search result. The ids of all searches of an answer are different, and may have
// gaps.
func (r *agentReader) result(result loosejson.Object) {
	page := describedPage(result)
	if len(r.found) >= maxPages {
		return
	}
	r.addSource(page)
	r.found = append(r.found, page)
	id, err := strconv.Atoi(strings.TrimPrefix(result.Amount("id"), "web:"))
	if _, known := r.ids[id]; err == nil && !known && id >= 1 && id <= maxPages {
		r.ids[id] = page
	}
}

func (r *agentReader) addSource(page answer.Citation) {
	if page.Source.URL != "" {
		r.sources.Add(page.Source)
	}
}

func (r *agentReader) part(part loosejson.Object) {
	if part.Text("refusal") != "" {
		r.refused = true
		return
	}
	r.texts = append(r.texts, loosejson.AsText(part["text"]))
	notes := part.Objects("annotations")
	for _, page := range describedPages(notes) {
		if page.Source.URL != "" && len(r.noted) < maxPages {
			r.noted = append(r.noted, page)
		}
	}
}

// number sets the pages that the marks refer to: by id, or else by position among all results.
func (r *agentReader) number() {
	r.pages = slices.Clone(r.found)
	for id, page := range r.ids {
		for len(r.pages) < id {
			r.pages = append(r.pages, answer.Citation{})
		}
		r.pages[id-1] = page
	}
}

// apiChips is like chip, but if the answer has pages, it also removes numbers that refer to none of
// them.
func (r *reader) apiChips() func(rest string) (mdtext.Replacement, int) {
	links := 0
	return func(rest string) (shown mdtext.Replacement, length int) {
		if links < maxLinks {
			shown, length = r.chip(rest)
		}
		if length == 0 && len(r.pages) > 0 {
			return mdtext.Removed, len(chip.FindString(rest))
		}
		links += len(shown.Markdown)
		return shown, length
	}
}

func describedPages(results []loosejson.Object) []answer.Citation {
	var pages []answer.Citation
	for _, result := range results[:min(len(results), maxPages)] {
		pages = append(pages, describedPage(result))
	}
	return pages
}

// describedPage returns the page that a result describes. The page has no URL if the result has
// none or one that is too long.
func describedPage(result loosejson.Object) answer.Citation {
	page := webPage(result)
	if len(page.Source.URL) > maxLink {
		return answer.Citation{}
	}
	return page
}
