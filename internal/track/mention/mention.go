package mention

// BrandNames is a brand of the panel with the names and domains that it is found by.
type BrandNames struct {
	Name    string   `json:"name"`
	Match   Match    `json:"match,omitzero"` // of Name alone
	Aliases []Alias  `json:"aliases,omitempty"`
	Domains []string `json:"domains,omitempty"` // a host below one of them is the brand's, too
	Own     bool     `json:"own,omitempty"`
}

// Alias is another name of a brand. In JSON it is a text, or an object when it has
// switches.
type Alias struct {
	Name  string `json:"name"`
	Match Match  `json:"match,omitzero"`
}

// Match are the switches of one name.
type Match struct {
	// Case is "exact" where upper and lower case must be as in the name; all other
	// folds stay on. Empty means any case.
	Case string `json:"case,omitempty"`
	// Joined lets each run of spaces or hyphens in the name stand for any such run
	// in the text, also for none.
	Joined bool `json:"joined,omitempty"`
	// Prefixes and Suffixes are texts that may stand between the name and its
	// boundary, also several in a row: particles, articles, endings.
	Prefixes []string `json:"prefixes,omitempty"`
	Suffixes []string `json:"suffixes,omitempty"`
	// Near are words of which one must stand within Within words of the hit.
	Near []string `json:"near,omitempty"`
	// Not are phrases that contain the name, in which it does not count, and words
	// that must not stand within Within words of the hit.
	Not []string `json:"not,omitempty"`
	// Within is 8 where it is 0.
	Within int `json:"within,omitempty"`
}

// Format says how a text is to be read.
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
	Prompt  string   // what was asked; where the answer repeats it, it does not count
	Sources []Source // what the answer cites, in the order of its numbers
}

// Source is a page that an answer cites. Its title is never searched.
type Source struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Kind says how a brand is mentioned.
type Kind string

// The kinds. Name and Domain count for every metric, Absent for none.
const (
	Name   Kind = "name"
	Domain Kind = "domain" // by a host in running text
	Absent Kind = "absent" // in a clause that says that nothing was found
)

// Mention is one place at which a brand is named. Ranges are bytes of the text as it
// is stored, from start up to but not including end.
type Mention struct {
	Brand int // index in the brands of the rules
	// Name says by which name: 0 is the brand's own, n its alias n-1. For a domain
	// it is the index of the domain.
	Name       int
	Kind       Kind
	Start, End int
	// Position is the brand's rank among the brands of the answer, by first counted
	// mention; the same on all of its mentions. 0 on an absent one.
	Position int
	// ListRank is the number of the ordered item whose first counted mention this
	// is; else 0.
	ListRank int
	// SentenceStart and SentenceEnd are the sentence around the mention, with the
	// citations behind its full stop.
	SentenceStart, SentenceEnd int
	// Sources are the indexes of the sources that the sentence cites, by a link to
	// them, by their number in brackets or by a footnote; Links those of the links
	// in it.
	Sources, Links []int

	from, to int // in the visible text
}

// Counts tells whether the mention counts for metrics.
func (m Mention) Counts() bool { return m.Kind != Absent }

// Link is a link or an address in a text.
type Link struct {
	URL        string // as it is written
	Source     int    // index of the source that it leads to, or -1
	Start, End int    // the text that is linked; for a footnote its mark

	from, to int // in the visible text
	note     int // number of the footnote that it stands in, or 0
}

// Found is what a text holds.
type Found struct {
	Mentions []Mention // in the order of the text
	Links    []Link
}
