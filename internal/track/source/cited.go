package source

// Citation is a page that an answer cites.
type Citation struct {
	Page
	Type     Type
	Position int // among the pages of the answer, from 1
	Index    int // of the first address that names it, in the list that was given
}

// Cited gives the pages that the addresses of one answer lead to, in their order and
// each once: addresses that are canonically equal are one page. What is no web
// address is left out.
func (s *Sites) Cited(addresses []string) []Citation {
	var cited []Citation
	seen := map[string]bool{}
	for i, address := range addresses {
		page, err := Parse(address)
		if err != nil || seen[page.URL] {
			continue
		}
		seen[page.URL] = true
		cited = append(cited, Citation{Page: page, Type: s.Type(page.Host), Position: len(cited) + 1, Index: i})
	}
	return cited
}
