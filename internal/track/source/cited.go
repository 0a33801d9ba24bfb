package source

// Citation is a page that an answer cites.
type Citation struct {
	Page
	Type     Type
	Position int // among the pages of the answer, from 1
	Index    int // of its first address in the list of addresses
}

// Cited returns the pages of a list of addresses, in their order. Addresses with the same
// canonical form are one page. Addresses that are not web addresses are left out.
func (s *Sites) Cited(addresses []string) []Citation {
	var cited []Citation
	seen := map[string]bool{}
	for i, address := range addresses {
		if seen[address] { // most pages are cited several times
			continue
		}
		page, err := Parse(address)
		if err != nil || seen[page.URL] {
			continue
		}
		seen[address], seen[page.URL] = true, true
		cited = append(cited, Citation{Page: page, Type: s.Type(page.Host), Position: len(cited) + 1, Index: i})
	}
	return cited
}
