package labsite

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// writeResults writes a result page.
func writeResults(r *lab.Request) ([]byte, error) {
	found := world.Find(search(r))
	return writePage("results", r, map[string]any{"Found": found, "Labels": found.Labels, "Language": found.Language})
}

// writeNews writes a news page.
func writeNews(r *lab.Request) ([]byte, error) {
	labels, language := world.LabelsIn(r.Question.Language)
	return writePage("news", r, map[string]any{"Articles": world.Headlines(search(r)), "Labels": labels, "Language": language})
}

// writePage fills a template with the data and with the data that all pages need. It writes an
// empty page if the query is steered so.
func writePage(name string, r *lab.Request, data map[string]any) ([]byte, error) {
	if r.Steering.Empty {
		return fill("empty", map[string]any{"Language": r.Question.Language, "Q": r.Question.Prompt})
	}
	q := search(r)
	searchLink := func(text string) string {
		return searchPath + "?" + url.Values{"q": {text}, "gl": {q.Country}, "hl": {q.Language}, "sa": {"X"}}.Encode()
	}
	data["Q"] = q.Prompt
	data["Start"] = q.Start
	data["Mobile"] = strings.Contains(r.UserAgent(), "Mobile")
	data["SearchLink"] = searchLink
	data["OverviewLink"] = func(question string) string {
		return overviewPath + "?" + url.Values{"q": {question}, "gl": {q.Country}, "hl": {q.Language}}.Encode()
	}
	data["NextLink"] = fmt.Sprintf("%s&start=%d", searchLink(q.Prompt), q.Start+world.PageSize)
	return fill(name, data)
}

// blockAfter returns the name of the block below the result at an index of the first page.
func blockAfter(index int) string {
	return map[int]string{
		0: "places", 1: "asked", 2: "stories", 3: "videos", 4: "images", 5: "threads", 6: "posts", 7: "products", 8: "things", 9: "rare",
	}[index]
}

// serveOverview serves the overview that answers a question. Pages load it on demand.
func serveOverview(w http.ResponseWriter, r *http.Request) {
	serve(w, r, "part", world.Overview(locate(r)))
}
