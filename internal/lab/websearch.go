package lab

import (
	"net/http"

	"earshot/internal/lab/searchsite"
)

// serveResults answers with a result page or a news page.
func serveResults(w http.ResponseWriter, r *http.Request) {
	query := searchsite.ReadQuery(r, locate(r))
	steering, text := Steer(query.Prompt)
	if withheld(w, r, steering, attempt(r)) {
		return
	}
	query.Prompt = text
	query.Total = steering.Results
	query.NoOverview = steering.Overview == "none"
	page, err := searchPage(query, steering)
	sendPage(w, r, steering, page, err)
}

func searchPage(q searchsite.Query, s Steering) ([]byte, error) {
	switch {
	case s.Empty:
		return searchsite.Empty(q)
	case q.News:
		return searchsite.News(q)
	default:
		return searchsite.Results(q)
	}
}

// serveOverview answers with the overview that a page loads on demand.
func serveOverview(w http.ResponseWriter, r *http.Request) {
	query := searchsite.ReadQuery(r, locate(r))
	part, err := searchsite.Overview(query)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, document{typeHTML, [][]byte{part}}, Steering{})
}
