package earshot

// WebSearch is the content of the result pages of Google Search. Positions of organic
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
	Spelling        *Spelling           `json:"spelling,omitempty"`
	Refinements     []Refinement        `json:"refinements,omitempty"`
	// All blocks of the pages, from top to bottom.
	Layout List[LayoutBlock] `json:"layout"`
	HTML   []string          `json:"html,omitempty" schema:"uri"`
}

// OrganicResult is an unpaid search result.
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
	// An image that the result shows.
	Thumbnail string `json:"thumbnail,omitempty" schema:"uri"`
	// The icon of the site. It is a `data:` URI if the page contains the icon itself.
	Favicon string `json:"favicon,omitempty" schema:"uri"`
	// The author or channel, if the page names one next to the site.
	Author string `json:"author,omitempty"`
	// The rating as displayed, mostly out of 5.
	Rating  *float64 `json:"rating,omitempty"`
	Reviews *int     `json:"reviews,omitempty" schema:"min=0"`
	// The price as displayed.
	Price string `json:"price,omitempty"`
	// Other facts that the page shows with the result, such as `In stock`.
	Details []string `json:"details,omitempty"`
	// Moments of the video to which the result leads.
	KeyMoments []KeyMoment `json:"keyMoments,omitempty"`
}

// KeyMoment is a moment of a video. `time` is its position, such as `2:31`.
type KeyMoment struct {
	Title string `json:"title"`
	Time  string `json:"time"`
	Link  string `json:"link,omitempty" schema:"uri"`
}

// SearchSublink is an additional link to the same site under a result.
type SearchSublink struct {
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// QuestionType is the source of the answer to a People Also Ask question: a page (`LINK`), an AI overview (`SEARCHOVERVIEW`), or unknown (`UNKNOWN`).
type QuestionType string

// The types of questions.
const (
	QuestionLink     QuestionType = "LINK"           // a page
	QuestionOverview QuestionType = "SEARCHOVERVIEW" // an AI overview
	QuestionUnknown  QuestionType = "UNKNOWN"        // the page does not say
)

// Values lists the types.
func (QuestionType) Values() []QuestionType {
	return []QuestionType{QuestionLink, QuestionOverview, QuestionUnknown}
}

// Question is an item of People Also Ask. `markdown` and `sources` are from its AI overview;
// they are set only with `include.paaSearchoverview`.
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

// RelatedSearch is a search that the search engine suggests.
type RelatedSearch struct {
	Query string `json:"query"`
	Link  string `json:"link" schema:"uri"`
}

// Discussion is a forum thread.
type Discussion struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Date         string `json:"date,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// KnowledgeGraph is the knowledge panel about the subject of the search.
type KnowledgeGraph struct {
	Title       string `json:"title"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Website     string `json:"website,omitempty" schema:"uri"`
	// The redirect that the search engine served for `website`, in the form that `goto` accepts. Absent when it served the website itself.
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
	ImageURL     string `json:"imageUrl,omitempty" schema:"uri"`
	// The author of the description.
	Source string `json:"source,omitempty"`
	// The page from which the description was taken.
	SourceLink string `json:"sourceLink,omitempty" schema:"uri"`
	// The redirect that the search engine served for `sourceLink`, in the form that `goto` accepts. Absent when it served the page itself.
	SourceRedirectLink string                   `json:"sourceRedirectLink,omitempty" schema:"redirectLink"`
	Attributes         List[KnowledgeAttribute] `json:"attributes"`
	Profiles           List[KnowledgeProfile]   `json:"profiles"`
}

// KnowledgeAttribute is a fact in the knowledge panel.
type KnowledgeAttribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KnowledgeProfile is a profile of the subject in a social network.
type KnowledgeProfile struct {
	Name         string `json:"name"`
	Link         string `json:"link" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// NewsSearch is the content of the result pages of Google News.
type NewsSearch struct {
	Surface Surface `json:"surface"`
	// The vendor that answered, such as `cloro`. Absent unless `surface` is `vendor`, or an aggregator passed the question on.
	Via         string           `json:"via,omitempty"`
	Location    *Location        `json:"location,omitempty"`
	NewsResults List[NewsResult] `json:"newsResults"`
	HTML        []string         `json:"html,omitempty" schema:"uri"`
}

// NewsResult is a news article.
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

// GotoResponse is the destination of a redirect link.
type GotoResponse struct {
	Succeeded
	URL string `json:"url" schema:"uri"`
}
