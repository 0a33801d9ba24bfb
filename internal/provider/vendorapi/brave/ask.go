package brave

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

// AskWeb fetches and reads up to the given number of pages of a web search. If keep is true, it
// keeps the documents. The error is an *upstream.Failure, or the error of ctx.
func AskWeb(ctx context.Context, up *upstream.Session, q Query, pages int, keep bool) (*earshot.WebSearch, error) {
	merged := newMerger()
	kept, err := ask(ctx, up, q, pages, keep, Web, merged, (*merger).web)
	if err != nil {
		return nil, err
	}
	merged.result.Surface, merged.result.HTML = up.Surface(), kept
	return merged.result, nil
}

// AskNews does for a news search what AskWeb does for a web search.
func AskNews(ctx context.Context, up *upstream.Session, q Query, pages int, keep bool) (*earshot.NewsSearch, error) {
	merged := newMerger()
	kept, err := ask(ctx, up, q, pages, keep, News, merged, (*merger).news)
	if err != nil {
		return nil, err
	}
	return &earshot.NewsSearch{Surface: up.Surface(), NewsResults: merged.articles, HTML: kept}, nil
}

// ask fetches pages until there are no more, and adds them to merged.
func ask(
	ctx context.Context, up *upstream.Session, q Query, pages int, keep bool, request func(Query, int) *upstream.Request,
	merged *merger, add func(m *merger, document []byte, n int) (more bool, err error),
) (kept []string, err error) {
	if country := q.Locale.Country; country != "" && !Located(q.Locale) {
		return nil, cannotServe("the API has no results for the country %s", country)
	}
	if q.offset(1) >= maxPages {
		return nil, cannotServe("the API serves at most %d pages", maxPages)
	}
	read := func(m *merger, document []byte, n int) (more bool, err error) {
		err = up.Read(ctx, func() (err error) {
			if more, err = add(m, document, n); err == nil && n == 1 && m.isEmpty() {
				err = provider.NothingFound()
			}
			return err
		})
		return more, err
	}
	more := true
	for n := 1; n <= pages && more && q.offset(n) < maxPages; n++ {
		page := request(q, n)
		page.Buys = provider.PageParts(n)
		page.Judge = func(document []byte) (verdict upstream.Verdict) {
			_, err := read(newMerger(), document, n)
			verdict.Failure, _ = errors.AsType[*upstream.Failure](err)
			return verdict
		}
		response, err := up.Fetch(ctx, page)
		if err != nil {
			return nil, err
		}
		if more, err = read(merged, response.Body, n); err != nil {
			return nil, err
		}
		if keep {
			kept = append(kept, up.Keep(rawdoc.CapturePage(response.Body)))
		}
	}
	return kept, nil
}

// cannotServe returns the failure of a search that the API does not offer. It lets the next upstream
// answer at once.
func cannotServe(format string, args ...any) *upstream.Failure {
	failure := upstream.Fail(earshot.ReasonUnavailable, format, args...)
	failure.Final = true
	return failure
}

// merger merges the results of several pages. Pages of the API may overlap, so each result is added
// only once, where it appears first. Positions count across all pages.
type merger struct {
	result   *earshot.WebSearch
	articles earshot.List[earshot.NewsResult]
	seen     map[string]bool // kind and name of what was added already
}

func newMerger() *merger { return &merger{result: &earshot.WebSearch{}, seen: map[string]bool{}} }

// isEmpty reports whether nothing was added.
func (m *merger) isEmpty() bool { return len(m.articles) == 0 && reflect.ValueOf(*m.result).IsZero() }

// isNew reports whether a name of this kind has not been seen before, and remembers it.
func (m *merger) isNew(kind, name string) bool {
	key := kind + "\x00" + name
	if m.seen[key] {
		return false
	}
	m.seen[key] = true
	return true
}

// web adds page n of a web search and reports whether there is another page.
func (m *merger) web(document []byte, n int) (more bool, err error) {
	found, more, err := readWeb(document)
	if err != nil {
		return false, err
	}
	all := m.result
	for _, result := range found.OrganicResults {
		if m.isNew("result", result.Link) {
			result.Page, result.Position = n, len(all.OrganicResults)+1
			all.OrganicResults = append(all.OrganicResults, result)
		}
	}
	for _, question := range found.PeopleAlsoAsk {
		if m.isNew("question", question.Question) {
			all.PeopleAlsoAsk = append(all.PeopleAlsoAsk, question)
		}
	}
	for _, thread := range found.Discussions {
		if m.isNew("discussion", thread.Link) {
			thread.Position = len(all.Discussions) + 1
			all.Discussions = append(all.Discussions, thread)
		}
	}
	m.panels(found)
	return more, nil
}

func (m *merger) panels(found *earshot.WebSearch) {
	all := m.result
	for _, story := range found.TopStories {
		if m.isNew("story", story.Link) {
			story.Position = len(all.TopStories) + 1
			all.TopStories = append(all.TopStories, story)
		}
	}
	for _, video := range found.Videos {
		if m.isNew("video", video.URL) {
			video.Position = len(all.Videos) + 1
			all.Videos = append(all.Videos, video)
		}
	}
	for _, place := range found.Places {
		if m.isNew("place", place.Name+"\x00"+place.Address) {
			place.Position = len(all.Places) + 1
			all.Places = append(all.Places, place)
		}
	}
	all.KnowledgeGraph = cmp.Or(all.KnowledgeGraph, found.KnowledgeGraph)
}

// news adds page n of a news search and reports whether there may be another page.
func (m *merger) news(document []byte, n int) (more bool, err error) {
	found, err := readNews(document)
	if err != nil {
		return false, err
	}
	for _, article := range found {
		if m.isNew("article", article.Link) {
			article.Page, article.Position = n, len(m.articles)+1
			m.articles = append(m.articles, article)
		}
	}
	return len(found) > 0, nil
}
