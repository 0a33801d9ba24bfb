package earshot

// The blocks of a search result page apart from the organic results; docs/extraction.md
// lists them. Positions count over all pages, separately for each kind.

// BlockType is a kind of block on a result page.
type BlockType string

// The kinds of blocks.
const (
	BlockOrganic         BlockType = "organic"
	BlockAds             BlockType = "ads"
	BlockShoppingAds     BlockType = "shoppingAds"
	BlockOverview        BlockType = "searchoverview"
	BlockFeaturedSnippet BlockType = "featuredSnippet"
	BlockQuestions       BlockType = "peopleAlsoAsk"
	BlockTopStories      BlockType = "topStories"
	BlockImages          BlockType = "images"
	BlockVideos          BlockType = "videos"
	BlockShortVideos     BlockType = "shortVideos"
	BlockPlaces          BlockType = "places"
	BlockHotels          BlockType = "hotels"
	BlockProducts        BlockType = "products"
	BlockPosts           BlockType = "posts"
	BlockDiscussions     BlockType = "discussions"
	BlockCarousel        BlockType = "carousel"
	BlockRecipes         BlockType = "recipes"
	BlockEvents          BlockType = "events"
	BlockJobs            BlockType = "jobs"
	BlockAnswerBox       BlockType = "answerBox"
	BlockKnowledgeGraph  BlockType = "knowledgeGraph"
	BlockRelated         BlockType = "relatedSearches"
	BlockUnknown         BlockType = "unknown" // not recognized; Title is its heading
)

// Values lists the kinds.
func (BlockType) Values() []BlockType {
	return []BlockType{
		BlockOrganic, BlockAds, BlockShoppingAds, BlockOverview, BlockFeaturedSnippet, BlockQuestions, BlockTopStories, BlockImages,
		BlockVideos, BlockShortVideos, BlockPlaces, BlockHotels, BlockProducts, BlockPosts, BlockDiscussions, BlockCarousel, BlockRecipes,
		BlockEvents, BlockJobs, BlockAnswerBox, BlockKnowledgeGraph, BlockRelated, BlockUnknown,
	}
}

// LayoutBlock is a block of the page with the number of items in it.
type LayoutBlock struct {
	Type     BlockType `json:"type"`
	Position int       `json:"position" schema:"min=1"`
	Count    int       `json:"count" schema:"min=0"`
	// The heading of a carousel, or of a block of an unknown kind.
	Title string `json:"title,omitempty"`
}

// Spelling is a notice about the spelling of the query. `query` is the other spelling. With type
// `corrected` the results are for that spelling; with `suggested` the page only offers it.
type Spelling struct {
	Query string `json:"query"`
	Type  string `json:"type" schema:"enum=corrected|suggested"`
	Link  string `json:"link,omitempty" schema:"uri"`
}

// Refinement is a chip that leads to a narrower search, such as "under $50".
type Refinement struct {
	Title string `json:"title"`
	Link  string `json:"link" schema:"uri"`
}

// FeaturedSnippet is the answer that the search engine quotes from a page above the results.
type FeaturedSnippet struct {
	Type         string   `json:"type" schema:"enum=paragraph|list|table"`
	Text         string   `json:"text"`
	Items        []string `json:"items,omitempty"`
	Title        string   `json:"title"`
	Link         string   `json:"link" schema:"uri"`
	Domain       string   `json:"domain"`
	RedirectLink string   `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// AnswerBox is an answer that the search engine gives itself.
type AnswerBox struct {
	Type         string `json:"type" schema:"enum=calculator|weather|definition|conversion|sports|finance|other"`
	Text         string `json:"text"`
	Title        string `json:"title,omitempty"`
	Link         string `json:"link,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// TopStory is a news article shown between the results.
type TopStory struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Source       string `json:"source"`
	Date         string `json:"date,omitempty"`
	Thumbnail    string `json:"thumbnail,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// SearchImage is an image shown between the results. `link` is the page that contains the image.
type SearchImage struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Source       string `json:"source,omitempty"`
	Thumbnail    string `json:"thumbnail,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// SearchPost is a post in a social network that the page shows.
type SearchPost struct {
	Position     int    `json:"position" schema:"min=1"`
	Platform     string `json:"platform"`
	Author       string `json:"author,omitempty"`
	Title        string `json:"title,omitempty"`
	Text         string `json:"text,omitempty"`
	Link         string `json:"link" schema:"uri"`
	Date         string `json:"date,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Carousel is a titled row of items, such as a cast, works or related searches.
type Carousel struct {
	Title string             `json:"title"`
	Items List[CarouselItem] `json:"items"`
}

// CarouselItem is an item of a carousel. `link` may lead to another search.
type CarouselItem struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Subtitle     string `json:"subtitle,omitempty"`
	Link         string `json:"link,omitempty" schema:"uri"`
	ImageURL     string `json:"imageUrl,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Recipe is a recipe shown between the results.
type Recipe struct {
	Position     int      `json:"position" schema:"min=1"`
	Title        string   `json:"title"`
	Link         string   `json:"link,omitempty" schema:"uri"`
	Source       string   `json:"source,omitempty"`
	Rating       *float64 `json:"rating,omitempty"`
	Reviews      *int     `json:"reviews,omitempty" schema:"min=0"`
	Duration     string   `json:"duration,omitempty"`
	RedirectLink string   `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Event is an event, such as a concert or a match. `title` is the first line of its card.
type Event struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link,omitempty" schema:"uri"`
	Source       string `json:"source,omitempty"`
	Date         string `json:"date,omitempty"`
	Venue        string `json:"venue,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// JobPosting is a job offer.
type JobPosting struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link,omitempty" schema:"uri"`
	Source       string `json:"source,omitempty"`
	Company      string `json:"company,omitempty"`
	Location     string `json:"location,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}
