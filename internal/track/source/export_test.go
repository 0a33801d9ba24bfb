package source

import (
	"fmt"
	"slices"
)

// CheckTable returns an error if the table of well-known sites is not valid.
func CheckTable() error {
	count := map[Type]int{}
	for domain, kind := range sites() {
		if host, err := Host(domain); err != nil || host != domain {
			return fmt.Errorf("%q is no host: %w", domain, err)
		}
		if !slices.Contains(Types(), kind) {
			return fmt.Errorf("%q has the type %q", domain, kind)
		}
		count[kind]++
	}
	for _, kind := range []Type{Community, Editorial, Reference, Government, Shop, Video} {
		if count[kind] < 5 {
			return fmt.Errorf("only %d sites of the type %s", count[kind], kind)
		}
	}
	return nil
}
