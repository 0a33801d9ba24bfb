package source

import (
	"slices"
	"testing"
)

// TestTable checks the table of well-known sites.
func TestTable(t *testing.T) {
	t.Parallel()
	count := map[Type]int{}
	for domain, kind := range sites() {
		if host, err := Host(domain); err != nil || host != domain || !slices.Contains(Types(), kind) {
			t.Errorf("%q has the host %q and the type %q, %v", domain, host, kind, err)
		}
		count[kind]++
	}
	for _, kind := range []Type{Community, Editorial, Reference, Government, Shop, Video} {
		if count[kind] < 5 {
			t.Errorf("only %d sites of the type %s", count[kind], kind)
		}
	}
}
