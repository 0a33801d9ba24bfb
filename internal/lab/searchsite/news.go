package searchsite

import "earshot/internal/lab/world"

// News writes a news page.
func News(q Query) ([]byte, error) {
	articles := world.Headlines(q.Search)
	labels, language := world.LabelsIn(q.Language)
	return write("news", q, map[string]any{"Articles": articles, "Labels": labels, "Language": language})
}
