package mention

// BrandNames is a brand of the panel with its names and domains.
type BrandNames struct {
	Name    string   `json:"name"`
	Match   Match    `json:"match,omitzero"` // for Name, not for the aliases
	Aliases []Alias  `json:"aliases,omitempty"`
	Domains []string `json:"domains,omitempty"` // subdomains belong to the brand, too
	Own     bool     `json:"own,omitempty"`
}

// Alias is another name of a brand. In JSON it is a string, or an object if it has matching
// rules.
type Alias struct {
	Name  string `json:"name"`
	Match Match  `json:"match,omitzero"`
}

// Match has the matching rules of one name.
type Match struct {
	// Case is "exact" if upper and lower case must be the same as in the name. All other
	// folding still applies. Empty means any case.
	Case string `json:"case,omitempty"`
	// Joined makes each run of spaces or hyphens in the name match any such run in the
	// text, or none.
	Joined bool `json:"joined,omitempty"`
	// Prefixes and Suffixes are texts that may be attached to the name, also several in a
	// row: particles, articles, endings.
	Prefixes []string `json:"prefixes,omitempty"`
	Suffixes []string `json:"suffixes,omitempty"`
	// Near has words. One of them must occur within Within words of the hit.
	Near []string `json:"near,omitempty"`
	// Not has phrases that contain the name, in which the name does not count, and words
	// that must not occur within Within words of the hit.
	Not []string `json:"not,omitempty"`
	// Within is a number of words. The default is 8.
	Within int `json:"within,omitempty"`
}

// Format is the format of a text.
type Format string

// The formats. The zero value is Markdown.
const (
	Markdown Format = "markdown"
	Plain    Format = "plain"
)

// Text is an answer.
type Text struct {
	Body    string
	Format  Format
	Prompt  string   // names in a quotation of the prompt do not count
	Sources []Source // the cited pages, in the order of their numbers
}

// Source is a page that an answer cites. Titles are never searched.
type Source struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Kind says how a brand is mentioned.
type Kind string

// The kinds. Name and Domain count for every metric, Absent for no metric.
const (
	Name   Kind = "name"
	Domain Kind = "domain" // a host in running text
	Absent Kind = "absent" // in a clause that says that nothing was found
)

// Mention is one occurrence of a brand in a text. Ranges are byte offsets of the stored
// text; the end is not included.
type Mention struct {
	Brand int // index in the brands of the rules
	// Name is 0 for the brand's own name and n for its alias n-1. For a domain, it is the
	// index of the domain.
	Name       int
	Kind       Kind
	Start, End int
	// Position is the brand's rank among the brands of the answer, by first counted
	// mention. All mentions of a brand have the same position; an absent mention has 0.
	Position int
	// ListRank is the number of the ordered list item if this is the first counted mention
	// in the item; otherwise 0.
	ListRank int
	// SentenceStart and SentenceEnd are the sentence that contains the mention, with the
	// citations after its full stop.
	SentenceStart, SentenceEnd int
	// Sources are the indexes of the sources that the sentence cites by a link, by a number
	// in brackets or by a footnote. Links are the indexes of the links in the sentence.
	Sources, Links []int

	from, to int // in the visible text
}

// Counts reports whether the mention counts for metrics.
func (m Mention) Counts() bool { return m.Kind != Absent }

// Link is a link or an address in a text.
type Link struct {
	URL    string // as written
	Source int    // index of the source with this URL, or -1

	from, to int // in the visible text
	note     int // number of the footnote that contains the link, or 0
}

// Found is the result of a search.
type Found struct {
	Mentions []Mention // in the order of the text
	Links    []Link
}
