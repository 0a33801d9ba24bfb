package world

// phrases are what can be said in one language. In curly braces stand the
// words that compose puts in: {subject} what was asked, {place} where,
// {brand} and {other} brands, {year}.
type phrases struct {
	intro    []string // opens the answer
	context  []string // compares brands
	heading  string   // above the list
	item     []string // why a product is in the list, after its name
	advice   []string
	closing  []string
	plain    []string // stands in for citations when nothing was searched
	queries  []string // searched for
	nearby   []string // searched for on a map
	related  []string
	titles   []string // of pages about the subject
	snippets []string
	card     []string // above a group of products
	tags     []string
	summary  []string // of a product
	shipping []string
	used     string
	new      string
	adTitle  []string
	adText   []string
	video    []string
	trade    []string // kinds of businesses
	hours    []string
}

// languages are the phrase books by BCP 47 base.
var languages = map[string]*phrases{
	"en": &english,
	"de": &german,
	"fr": &french,
	"es": &spanish,
	"pt": &portuguese,
	"it": &italian,
	"nl": &dutch,
	"ja": &japanese,
}

// phrasesIn gives the language's phrase book and its name, English where there
// is none.
func phrasesIn(language string) (book *phrases, name string) {
	if book, known := languages[language]; known {
		return book, language
	}
	return &english, "en"
}
