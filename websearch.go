package earshot

// WebSearch is what the result pages of a web search show. Positions of organic
// results count over all pages.
type WebSearch struct {
	Surface Surface `json:"surface"`
	// The vendor that answered, such as `cloro`. Absent unless `surface` is `vendor`, or an aggregator passed the question on.
	Via             string              `json:"via,omitempty"`
	Location        *Location           `json:"location,omitempty"`
	OrganicResults  List[OrganicResult] `json:"organicResults"`
	PeopleAlsoAsk   List[Question]      `json:"peopleAlsoAsk"`
	RelatedSearches List[RelatedSearch] `json:"relatedSearches"`
	Ads             List[Ad]            `json:"ads"`
	SearchOverview  *Answer             `json:"searchoverview,omitempty"`
	Places          []Place             `json:"places,omitempty"`
	ShoppingCards   []ShoppingCard      `json:"shoppingCards,omitempty"`
	Videos          []Video             `json:"videos,omitempty"`
	Discussions     []Discussion        `json:"discussions,omitempty"`
	KnowledgeGraph  *KnowledgeGraph     `json:"knowledgeGraph,omitempty"`
	FeaturedSnippet *FeaturedSnippet    `json:"featuredSnippet,omitempty"`
	AnswerBox       *AnswerBox          `json:"answerBox,omitempty"`
	TopStories      []TopStory          `json:"topStories,omitempty"`
	Images          []SearchImage       `json:"images,omitempty"`
	Posts           []SearchPost        `json:"posts,omitempty"`
	Carousels       []Carousel          `json:"carousels,omitempty"`
	Recipes         []Recipe            `json:"recipes,omitempty"`
	Events          []Event             `json:"events,omitempty"`
	Jobs            []JobPosting        `json:"jobs,omitempty"`
	// Every block of the pages from top to bottom.
	Layout List[LayoutBlock] `json:"layout"`
	HTML   []string          `json:"html,omitempty" schema:"uri"`
}

// OrganicResult is a result that nobody paid for.
type OrganicResult struct {
	Position      int             `json:"position" schema:"min=1"`
	Page          int             `json:"page" schema:"min=1"`
	Title         string          `json:"title"`
	Link          string          `json:"link" schema:"uri"`
	DisplayedLink string          `json:"displayedLink"`
	Domain        string          `json:"domain"`
	Snippet       string          `json:"snippet"`
	Date          string          `json:"date,omitempty"`
	Sitelinks     []SearchSublink `json:"sitelinks,omitempty"`
	RedirectLink  string          `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// SearchSublink is a further link of the same site under a result.
type SearchSublink struct {
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// QuestionType says what answers a question of People Also Ask.
type QuestionType string

// The types of questions.
const (
	QuestionLink     QuestionType = "LINK"           // a page
	QuestionOverview QuestionType = "SEARCHOVERVIEW" // an AI overview
	QuestionUnknown  QuestionType = "UNKNOWN"        // the page does not tell
)

// Values lists the types.
func (QuestionType) Values() []QuestionType {
	return []QuestionType{QuestionLink, QuestionOverview, QuestionUnknown}
}

// Question is an item of People Also Ask. Markdown and Sources are those of its
// overview, where it was asked for.
type Question struct {
	Question     string       `json:"question"`
	Type         QuestionType `json:"type"`
	Snippet      string       `json:"snippet,omitempty"`
	Title        string       `json:"title,omitempty"`
	Link         string       `json:"link,omitempty" schema:"uri"`
	RedirectLink string       `json:"redirectLink,omitempty" schema:"redirectLink"`
	Markdown     string       `json:"markdown,omitempty"`
	Sources      []Source     `json:"sources,omitempty"`
}

// RelatedSearch is a search that the engine proposes.
type RelatedSearch struct {
	Query string `json:"query"`
	Link  string `json:"link" schema:"uri"`
}

// Discussion is a thread in a forum.
type Discussion struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Date         string `json:"date,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// KnowledgeGraph is the panel about the thing that was searched for.
type KnowledgeGraph struct {
	Title       string `json:"title"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Website     string `json:"website,omitempty" schema:"uri"`
	// The redirect that the engine served for `website`, in the form that goto accepts. Absent when it served the website itself.
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
	ImageURL     string `json:"imageUrl,omitempty" schema:"uri"`
	// Who wrote the description.
	Source string `json:"source,omitempty"`
	// The page that the description is from.
	SourceLink string `json:"sourceLink,omitempty" schema:"uri"`
	// The redirect that the engine served for `sourceLink`, in the form that goto accepts. Absent when it served the page itself.
	SourceRedirectLink string                   `json:"sourceRedirectLink,omitempty" schema:"redirectLink"`
	Attributes         List[KnowledgeAttribute] `json:"attributes"`
	Profiles           List[KnowledgeProfile]   `json:"profiles"`
}

// KnowledgeAttribute is a fact in the panel.
type KnowledgeAttribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KnowledgeProfile is a page of the thing in a social network.
type KnowledgeProfile struct {
	Name         string `json:"name"`
	Link         string `json:"link" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// NewsSearch is what the result pages of a news search show.
type NewsSearch struct {
	Surface Surface `json:"surface"`
	// The vendor that answered, such as `cloro`. Absent unless `surface` is `vendor`, or an aggregator passed the question on.
	Via         string           `json:"via,omitempty"`
	Location    *Location        `json:"location,omitempty"`
	NewsResults List[NewsResult] `json:"newsResults"`
	HTML        []string         `json:"html,omitempty" schema:"uri"`
}

// NewsResult is an article.
type NewsResult struct {
	Position     int    `json:"position" schema:"min=1"`
	Page         int    `json:"page" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Domain       string `json:"domain"`
	Snippet      string `json:"snippet"`
	Source       string `json:"source"`
	Date         string `json:"date"`
	Thumbnail    string `json:"thumbnail,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// GotoResponse tells where a redirect link leads.
type GotoResponse struct {
	Succeeded
	URL string `json:"url" schema:"uri"`
}
