package client

import (
	"iter"

	"earshot"
)

// items returns an iterator over the items of all pages.
func items[T any](fetch func(cursor string) (page earshot.List[T], next *string, err error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			page, next, err := fetch(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(&page[i], nil) {
					return
				}
			}
			if next == nil || *next == cursor { // prevents an endless loop if the service misbehaves
				return
			}
			cursor = *next
		}
	}
}
