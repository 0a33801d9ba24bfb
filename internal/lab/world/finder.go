package world

// finder composes what a search finds: a composer with the phrases of search
// pages.
type finder struct {
	*composer

	say *searchPhrases
}

// searcher makes a finder for one part of what there is to find: the same
// question and part always give the same.
func searcher(q Question, part string) *finder {
	q.Assistant = "search " + part // whoever is asked has views of its own
	c := newComposer(q)
	return &finder{composer: c, say: searchPhrasesIn(c.lang)}
}
