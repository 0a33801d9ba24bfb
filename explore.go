package earshot

// AnswerFindings are what the current rules of a tracker find in one of its answers.
type AnswerFindings struct {
	// The version of the names that were looked for, such as `r14`.
	Rules string `json:"rules"`
	// The texts that were searched, as they are stored. All ranges are bytes of one of them.
	Texts List[FoundText] `json:"texts"`
	// In the order of the texts.
	Mentions List[FoundMention] `json:"mentions"`
	// The pages that the answer cites, each once.
	Citations List[FoundPage] `json:"citations"`
	// The results of a search page; absent where the answer is none.
	Organic []FoundPage `json:"organic,omitempty"`
}

// FoundText is a text of a result that was searched for names.
type FoundText struct {
	// `markdown` or `text` of an assistant, else the part of a search page.
	Where string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// Which of the organic results, or of the texts of the panel, counted from 0.
	Index int `json:"index" schema:"min=0"`
	// How it was read.
	Format string `json:"format" schema:"enum=markdown|plain"`
	Text   string `json:"text"`
}

// FoundMention is a name in an answer. Ranges are bytes of `texts[text].text` in UTF-8, the end excluded.
type FoundMention struct {
	Brand string `json:"brand"`
	// Whether the brand is one's own.
	Own bool `json:"own"`
	// Which of the brand's names, or which of its domains.
	Name string `json:"name"`
	// `absent` is a name in a clause that says that nothing was found, which counts for nothing.
	Kind  string `json:"kind" schema:"enum=name|domain|absent"`
	Where string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// The index of its text in `texts`.
	Text  int `json:"text" schema:"min=0"`
	Start int `json:"start" schema:"min=0"`
	End   int `json:"end" schema:"min=0"`
	// The brand's rank among those that the answer names; 0 where it does not count.
	Position int `json:"position" schema:"min=0"`
	// The number of the list item that it is the first name of.
	ListRank int `json:"listRank,omitempty" schema:"min=0"`
	// The sentence around it, with the citations behind it.
	SentenceStart int `json:"sentenceStart" schema:"min=0"`
	SentenceEnd   int `json:"sentenceEnd" schema:"min=0"`
	// What the sentence cites: registrable domains, and `position` of the pages in `citations`.
	Domains   List[string] `json:"domains"`
	Citations List[int]    `json:"citations"`
}

// FoundPage is a page that an answer cites or lists.
type FoundPage struct {
	// Canonical: without fragment and tracking parameters.
	URL    string `json:"url" schema:"uri"`
	Domain string `json:"domain"`
	// `own`, `rival`, `community`, `editorial`, `reference`, `government`, `shop`, `video` or `other`.
	Type string `json:"type"`
	// The brand of the panel whose site it is.
	Brand    string `json:"brand,omitempty"`
	Position int    `json:"position" schema:"min=1"`
}

// AnswerCell are the other answers to the same question on the same target.
type AnswerCell struct {
	// The other samples of the sweep.
	Samples List[CellAnswer] `json:"samples"`
	// Those of the sweep before, and of the one after.
	Previous List[CellAnswer] `json:"previous"`
	Next     List[CellAnswer] `json:"next"`
}

// CellAnswer is where an answer of a cell is found.
type CellAnswer struct {
	ID      string    `json:"id" schema:"uuid"`
	Sweep   string    `json:"sweep" schema:"uuid"`
	Sample  int       `json:"sample" schema:"min=1"`
	Outcome Outcome   `json:"outcome"`
	AskedAt Timestamp `json:"askedAt"`
}

// DiffQuery names two answers of a tracker.
type DiffQuery struct {
	// The answer that is compared with, usually the earlier one.
	A string `json:"a" schema:"uuid"`
	B string `json:"b" schema:"uuid"`
}

// AnswerDiff tells how two answers differ, and how much answers to that question differ anyway.
type AnswerDiff struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether both answer the same question on the same target.
	SameCell bool     `json:"sameCell"`
	A        DiffSide `json:"a"`
	B        DiffSide `json:"b"`
	// The words in their order: those that are the same and removed are the text of a, those that are the same and added that of b, but for white space.
	Words List[WordRun] `json:"words"`
	// Whether only the beginnings of the texts were compared, since they are long.
	Cut bool `json:"cut"`
	// Pages that only b cites, that only a cites, and that both do.
	Gained List[FoundPage] `json:"gained"`
	Lost   List[FoundPage] `json:"lost"`
	Kept   List[FoundPage] `json:"kept"`
	// Between a and b.
	Distance AnswerDistance `json:"distance"`
	// Of the cell of b: the mean distance of each of its answers from the one before it.
	Noise CellNoise `json:"noise"`
}

// DiffSide is one of two answers.
type DiffSide struct {
	// Without its result.
	Answer TrackedAnswer `json:"answer"`
	// The brands that it names, in their order.
	Brands List[string] `json:"brands"`
}

// WordRun are words of two texts in a row.
type WordRun struct {
	Kind string `json:"kind" schema:"enum=same|removed|added"`
	Text string `json:"text"`
}

// AnswerDistance is how far two answers are apart: 0 for the same set, 1 for nothing in common. Null where both have none.
type AnswerDistance struct {
	// Jaccard distance of the domains that they cite.
	Domains *float64 `json:"domains"`
	// Jaccard distance of the brands that they name.
	Brands *float64 `json:"brands"`
}

// CellNoise is how far neighbouring answers of a cell are apart, which is no news.
type CellNoise struct {
	AnswerDistance
	// The newest answers of the cell that were looked at.
	Answers int `json:"answers" schema:"min=0"`
	// Pairs of neighbours behind each mean.
	DomainPairs int `json:"domainPairs" schema:"min=0"`
	BrandPairs  int `json:"brandPairs" schema:"min=0"`
}

// NameTrial is names to look for in kept answers before they become rules.
type NameTrial struct {
	// The brand of the panel that the names are for; without one they are a new brand's.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// The names, as in a definition. One that the brand has already is tried in its place.
	Names List[BrandName] `json:"names" schema:"minItems=1,maxItems=20,short=name"`
	// How many kept answers to look at, the newest first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=5000,default=1000"`
}

// NameTried is what names would find.
type NameTried struct {
	Tracker string `json:"tracker"`
	// The rules that they are compared with.
	Rules string `json:"rules"`
	Brand string `json:"brand"`
	AnswerSample
	// Where the names stand, and in how many of the answers.
	Hits  int             `json:"hits" schema:"min=0"`
	Named int             `json:"named" schema:"min=0"`
	Share float64         `json:"share" schema:"min=0,max=1"`
	Names List[TriedName] `json:"names"`
	// Up to ten, of different answers.
	Contexts List[NameContext] `json:"contexts"`
	// Names of the panel that are in the way of these, or the other way round.
	Collisions List[NameCollision] `json:"collisions"`
	// The brand, and the others whose number of answers changes.
	Changes List[VisibilityChange] `json:"changes"`
}

// AnswerSample says which of the kept answers were looked at: the newest.
type AnswerSample struct {
	// How many were looked at.
	Answers int `json:"answers" schema:"min=0"`
	// Whether older ones are kept that were not.
	More bool `json:"more"`
	// When the first and the last of them were asked; null without any.
	From *Timestamp `json:"from"`
	To   *Timestamp `json:"to"`
	// Whether any of them was made up by the lab.
	MadeUp bool `json:"madeUp"`
}

// TriedName is what one name finds.
type TriedName struct {
	Name  string  `json:"name"`
	Hits  int     `json:"hits" schema:"min=0"`
	Named int     `json:"named" schema:"min=0"`
	Share float64 `json:"share" schema:"min=0,max=1"`
}

// NameContext is a place at which a name was found.
type NameContext struct {
	Answer string `json:"answer" schema:"uuid"`
	Prompt string `json:"prompt"`
	Target string `json:"target"`
	Name   string `json:"name"`
	Kind   string `json:"kind" schema:"enum=name|domain|absent"`
	Where  string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// The sentence as it is stored, and the bytes of the name in it. A long one is cut around the name.
	Sentence string `json:"sentence"`
	Start    int    `json:"start" schema:"min=0"`
	End      int    `json:"end" schema:"min=0"`
}

// NameCollision is a name that stands inside one of another brand, or equals it. Where the longer one stands, the shorter does not count.
type NameCollision struct {
	Name        string `json:"name"`
	Brand       string `json:"brand"`
	Within      string `json:"within"`
	WithinBrand string `json:"withinBrand"`
	// They are the same: the brand that stands first in the panel gets it.
	Equal bool `json:"equal"`
}

// VisibilityChange is how many of the answers name a brand now, and would: a plain share, without weights.
type VisibilityChange struct {
	Brand string `json:"brand"`
	// Answers that name it.
	NamedBefore int     `json:"namedBefore" schema:"min=0"`
	NamedAfter  int     `json:"namedAfter" schema:"min=0"`
	Before      float64 `json:"before" schema:"min=0,max=1"`
	After       float64 `json:"after" schema:"min=0,max=1"`
}

// DiscoverQuery says how much to look at and to list.
type DiscoverQuery struct {
	// How many names to list, those in the most answers first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=500,default=50"`
	// How many kept answers to look at, the newest first.
	Answers int `json:"answers,omitempty" schema:"min=1,max=5000,default=1000"`
}

// DiscoverReport are names that answers emphasise and that the panel lacks.
type DiscoverReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	AnswerSample
	// Whether there were more different names than could be counted; those that came last are left out.
	Cut   bool                 `json:"cut"`
	Names List[DiscoveredName] `json:"names"`
}

// DiscoveredName is a name that is not in the panel.
type DiscoveredName struct {
	// As it is written most often.
	Name string `json:"name"`
	// Answers that have it.
	Named int     `json:"named" schema:"min=0"`
	Share float64 `json:"share" schema:"min=0,max=1"`
	// How it stood out: `emphasis`, `list` for the head of a list item, `entity` for what the provider says is one.
	As List[string] `json:"as"`
	// When the first of the answers was asked.
	FirstSeen Timestamp    `json:"firstSeen"`
	Targets   List[string] `json:"targets"`
	// Up to three answers, the newest.
	Examples List[string] `json:"examples"`
}
