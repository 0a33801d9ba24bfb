package websearch

import (
	"cmp"

	"earshot"
	"earshot/internal/provider/explain"
	"earshot/internal/provider/serp"
)

// maxFirstWords is the maximum number of characters of an item without a title in an explanation.
const maxFirstWords = 60

// noteRule records which code found an entry of the layout, and where.
func (r *reader) noteRule(kind earshot.BlockType, at int, title string) {
	f := explain.Finding{Kind: string(kind), Title: title, Rule: explain.Rule("note", "element", "link", "parsePage"), At: at}
	if i := at % columnAt; 0 < i && i <= len(r.nodes) {
		n := r.nodes[i-1]
		f.Title, f.Element = cmp.Or(title, cut(serp.Line(n), maxFirstWords)), explain.Path(n)
	}
	r.want.explain.Add(f)
}
