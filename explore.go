package earshot

// AnswerFindings are the mentions and citations that a tracker's current rules find in an answer.
type AnswerFindings struct {
	// The version of the tracker's rules, such as `r14`.
	Rules string `json:"rules"`
	// The searched texts, exactly as stored. All byte ranges refer to one of these texts.
	Texts List[FoundText] `json:"texts"`
	// The mentions, in the order of the texts.
	Mentions List[FoundMention] `json:"mentions"`
	// The pages that the answer cites, each page once.
	Citations List[FoundPage] `json:"citations"`
	// The organic results of a search page; absent for other answers.
	Organic []FoundPage `json:"organic,omitempty"`
}

// FoundText is a text of a result in which brand names were searched.
type FoundText struct {
	// The part of the result: `markdown` or `text` of an assistant's answer, or a part of a search page.
	Where string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// Which organic result, or which text of the knowledge panel, counted from 0.
	Index int `json:"index" schema:"min=0"`
	// How the text was parsed.
	Format string `json:"format" schema:"enum=markdown|plain"`
	Text   string `json:"text"`
}

// FoundMention is a mention of a brand. Ranges are byte offsets into `texts[text].text` in UTF-8; the end is exclusive.
type FoundMention struct {
	Brand string `json:"brand"`
	// Whether the brand is one of your own.
	Own bool `json:"own"`
	// The name or domain that was found.
	Name string `json:"name"`
	// `absent` is a name in a clause that says that nothing was found about the name. It does not count as a mention.
	Kind  string `json:"kind" schema:"enum=name|domain|absent"`
	Where string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// The index in `texts` of the text that contains the mention.
	Text  int `json:"text" schema:"min=0"`
	Start int `json:"start" schema:"min=0"`
	End   int `json:"end" schema:"min=0"`
	// The brand's rank among the brands that the answer names; 0 when the mention does not count.
	Position int `json:"position" schema:"min=0"`
	// The number of the list item that begins with this mention.
	ListRank int `json:"listRank,omitempty" schema:"min=0"`
	// The byte range of the sentence around the mention, including the citations after it.
	SentenceStart int `json:"sentenceStart" schema:"min=0"`
	SentenceEnd   int `json:"sentenceEnd" schema:"min=0"`
	// The sources that the sentence cites: their registrable domains, and their `position` in `citations`.
	Domains   List[string] `json:"domains"`
	Citations List[int]    `json:"citations"`
}

// FoundPage is a page that an answer cites or lists.
type FoundPage struct {
	// The canonical URL, without fragment and tracking parameters.
	URL    string `json:"url" schema:"uri"`
	Domain string `json:"domain"`
	// `own`, `rival`, `community`, `editorial`, `reference`, `government`, `shop`, `video` or `other`.
	Type string `json:"type"`
	// The brand of the tracker that owns the site.
	Brand    string `json:"brand,omitempty"`
	Position int    `json:"position" schema:"min=1"`
}

// AnswerCell are the other answers to the same prompt on the same target.
type AnswerCell struct {
	// The other samples of the same sweep.
	Samples List[CellAnswer] `json:"samples"`
	// The answers of the previous sweep and of the next sweep.
	Previous List[CellAnswer] `json:"previous"`
	Next     List[CellAnswer] `json:"next"`
}

// CellAnswer is another answer to the same prompt on the same target.
type CellAnswer struct {
	ID      string    `json:"id" schema:"uuid"`
	Sweep   string    `json:"sweep" schema:"uuid"`
	Sample  int       `json:"sample" schema:"min=1"`
	Outcome Outcome   `json:"outcome"`
	AskedAt Timestamp `json:"askedAt"`
}

// DiffQuery is the two answers to compare.
type DiffQuery struct {
	// The first answer, usually the earlier one.
	A string `json:"a" schema:"uuid"`
	B string `json:"b" schema:"uuid"`
}

// AnswerDiff is the difference between two answers, with the usual difference between answers to the same prompt.
type AnswerDiff struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Whether both answers are to the same prompt on the same target.
	SameCell bool     `json:"sameCell"`
	A        DiffSide `json:"a"`
	B        DiffSide `json:"b"`
	// The words in order. `same` and `removed` words make up the text of `a`, `same` and `added` words the text of `b`, except for white space.
	Words List[WordRun] `json:"words"`
	// Whether the texts were too long and only their beginnings were compared.
	Cut bool `json:"cut"`
	// The pages that only `b` cites (`gained`), only `a` cites (`lost`) and both cite (`kept`).
	Gained List[FoundPage] `json:"gained"`
	Lost   List[FoundPage] `json:"lost"`
	Kept   List[FoundPage] `json:"kept"`
	// The distance between `a` and `b`.
	Distance AnswerDistance `json:"distance"`
	// The mean distance between consecutive answers to the prompt of `b` on its target.
	Noise CellNoise `json:"noise"`
}

// DiffSide is one of the two compared answers.
type DiffSide struct {
	// The answer, without its result.
	Answer TrackedAnswer `json:"answer"`
	// The brands that the answer names, in order.
	Brands List[string] `json:"brands"`
}

// WordRun is a run of consecutive words that are the same, removed or added.
type WordRun struct {
	Kind string `json:"kind" schema:"enum=same|removed|added"`
	Text string `json:"text"`
}

// AnswerDistance is the distance between two answers: 0 for equal sets, 1 for nothing in common, `null` when both sets are empty.
type AnswerDistance struct {
	// Jaccard distance of the cited domains.
	Domains *float64 `json:"domains"`
	// Jaccard distance of the named brands.
	Brands *float64 `json:"brands"`
}

// CellNoise is the mean distance between consecutive answers to one prompt on one target: the normal variation.
type CellNoise struct {
	AnswerDistance
	// How many of the newest answers were compared.
	Answers int `json:"answers" schema:"min=0"`
	// How many pairs of consecutive answers each mean is made of.
	DomainPairs int `json:"domainPairs" schema:"min=0"`
	BrandPairs  int `json:"brandPairs" schema:"min=0"`
}

// NameTrial is a set of brand names to try on stored answers before they are added to the tracker.
type NameTrial struct {
	// The brand of the tracker that gets the names. By default, they are the names of a new brand.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// The names, written as in a definition. A name that the brand already has is replaced for the trial.
	Names List[BrandName] `json:"names" schema:"minItems=1,maxItems=20,short=name"`
	// How many stored answers to search, newest first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=5000,default=1000"`
}

// NameTried is the result of a trial of brand names.
type NameTried struct {
	Tracker string `json:"tracker"`
	// The version of the rules that the trial is compared with.
	Rules string `json:"rules"`
	Brand string `json:"brand"`
	AnswerSample
	// How often the names were found (`hits`), and in how many answers (`named`).
	Hits  int             `json:"hits" schema:"min=0"`
	Named int             `json:"named" schema:"min=0"`
	Share float64         `json:"share" schema:"min=0,max=1"`
	Names List[TriedName] `json:"names"`
	// Up to ten places where a name was found, each in a different answer.
	Contexts List[NameContext] `json:"contexts"`
	// Conflicts between the tried names and the tracker's other names.
	Collisions List[NameCollision] `json:"collisions"`
	// The change for the brand, and for other brands whose number of answers changes.
	Changes List[VisibilityChange] `json:"changes"`
}

// AnswerSample is the set of stored answers that were searched: the newest ones.
type AnswerSample struct {
	// How many answers were searched.
	Answers int `json:"answers" schema:"min=0"`
	// Whether there are older stored answers that were not searched.
	More bool `json:"more"`
	// When the first and the last of these answers were asked; `null` when no answer was searched.
	From *Timestamp `json:"from"`
	To   *Timestamp `json:"to"`
	// Whether any of these answers was made up by the lab.
	MadeUp bool `json:"madeUp"`
}

// TriedName is the result of the trial for one name.
type TriedName struct {
	Name  string  `json:"name"`
	Hits  int     `json:"hits" schema:"min=0"`
	Named int     `json:"named" schema:"min=0"`
	Share float64 `json:"share" schema:"min=0,max=1"`
}

// NameContext is a place where a name was found.
type NameContext struct {
	Answer string `json:"answer" schema:"uuid"`
	Prompt string `json:"prompt"`
	Target string `json:"target"`
	Name   string `json:"name"`
	Kind   string `json:"kind" schema:"enum=name|domain|absent"`
	Where  string `json:"where" schema:"enum=markdown|text|title|snippet|overview|panel"`
	// The sentence as stored, shortened around the name if it is long, and the byte range of the name in it.
	Sentence string `json:"sentence"`
	Start    int    `json:"start" schema:"min=0"`
	End      int    `json:"end" schema:"min=0"`
}

// NameCollision is a name that is contained in, or equal to, a name of another brand. Where the longer name is found, the shorter name does not count.
type NameCollision struct {
	Name        string `json:"name"`
	Brand       string `json:"brand"`
	Within      string `json:"within"`
	WithinBrand string `json:"withinBrand"`
	// Whether the two names are equal. Then the brand that the definition lists first gets the mention.
	Equal bool `json:"equal"`
}

// VisibilityChange is the number of answers that name a brand now, and with the tried names. Shares are unweighted.
type VisibilityChange struct {
	Brand string `json:"brand"`
	// How many answers name the brand.
	NamedBefore int     `json:"namedBefore" schema:"min=0"`
	NamedAfter  int     `json:"namedAfter" schema:"min=0"`
	Before      float64 `json:"before" schema:"min=0,max=1"`
	After       float64 `json:"after" schema:"min=0,max=1"`
}

// DiscoverQuery is the number of answers to search and of names to list.
type DiscoverQuery struct {
	// How many names to list; names that occur in the most answers come first.
	Limit int `json:"limit,omitempty" schema:"min=1,max=500,default=50"`
	// How many stored answers to search, newest first.
	Answers int `json:"answers,omitempty" schema:"min=1,max=5000,default=1000"`
}

// DiscoverReport is a list of names that answers emphasise and that no brand of the tracker has.
type DiscoverReport struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	AnswerSample
	// Whether there were too many different names to count all of them; names found last are left out.
	Cut   bool                 `json:"cut"`
	Names List[DiscoveredName] `json:"names"`
}

// DiscoveredName is a name that no brand of the tracker has.
type DiscoveredName struct {
	// The most frequent spelling.
	Name string `json:"name"`
	// How many answers contain the name.
	Named int     `json:"named" schema:"min=0"`
	Share float64 `json:"share" schema:"min=0,max=1"`
	// How the name was marked: `emphasis`, `list` for the start of a list item, `entity` for an entity reported by the provider.
	As List[string] `json:"as"`
	// When the first of these answers was asked.
	FirstSeen Timestamp    `json:"firstSeen"`
	Targets   List[string] `json:"targets"`
	// The ids of the newest answers that contain the name, at most three.
	Examples List[string] `json:"examples"`
}
