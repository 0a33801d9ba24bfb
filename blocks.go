package earshot

// Blocks of a result page besides its results: what contract and docs/extraction.md
// call blocks. Positions count over all pages, each kind for itself.

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
	BlockUnknown         BlockType = "unknown" // nobody understood it; Title is its heading
)

// Values lists the kinds.
func (BlockType) Values() []BlockType {
	return []BlockType{
		BlockOrganic, BlockAds, BlockShoppingAds, BlockOverview, BlockFeaturedSnippet, BlockQuestions, BlockTopStories, BlockImages,
		BlockVideos, BlockShortVideos, BlockPlaces, BlockHotels, BlockProducts, BlockPosts, BlockDiscussions, BlockCarousel, BlockRecipes,
		BlockEvents, BlockJobs, BlockAnswerBox, BlockKnowledgeGraph, BlockRelated, BlockUnknown,
	}
}

// LayoutBlock is a block of the page, with how many things are in it.
type LayoutBlock struct {
	Type     BlockType `json:"type"`
	Position int       `json:"position" schema:"min=1"`
	Count    int       `json:"count" schema:"min=0"`
	// The heading of a block that is of no known kind, and of a carousel.
	Title string `json:"title,omitempty"`
}

// FeaturedSnippet is the answer that the engine quotes from a page above the
// results.
type FeaturedSnippet struct {
	Type         string   `json:"type" schema:"enum=paragraph|list|table"`
	Text         string   `json:"text"`
	Items        []string `json:"items,omitempty"`
	Title        string   `json:"title"`
	Link         string   `json:"link" schema:"uri"`
	Domain       string   `json:"domain"`
	RedirectLink string   `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// AnswerBox is an answer that the engine gives itself.
type AnswerBox struct {
	Type         string `json:"type" schema:"enum=calculator|weather|definition|conversion|sports|finance|other"`
	Text         string `json:"text"`
	Title        string `json:"title,omitempty"`
	Link         string `json:"link,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// TopStory is an article of the news between the results.
type TopStory struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link" schema:"uri"`
	Source       string `json:"source"`
	Date         string `json:"date,omitempty"`
	Thumbnail    string `json:"thumbnail,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// SearchImage is a picture between the results. Link is the page that it is on.
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

// Carousel is a titled list of things: a cast, works, what else people search for.
type Carousel struct {
	Title string             `json:"title"`
	Items List[CarouselItem] `json:"items"`
}

// CarouselItem is a thing on a carousel. Link may be a search of the engine.
type CarouselItem struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Subtitle     string `json:"subtitle,omitempty"`
	Link         string `json:"link,omitempty" schema:"uri"`
	ImageURL     string `json:"imageUrl,omitempty" schema:"uri"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// Recipe is a card of a recipe.
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

// Event is a concert, a match, a festival. Title is what the card shows first.
type Event struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link,omitempty" schema:"uri"`
	Source       string `json:"source,omitempty"`
	Date         string `json:"date,omitempty"`
	Venue        string `json:"venue,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}

// JobPosting is a position that somebody offers.
type JobPosting struct {
	Position     int    `json:"position" schema:"min=1"`
	Title        string `json:"title"`
	Link         string `json:"link,omitempty" schema:"uri"`
	Source       string `json:"source,omitempty"`
	Company      string `json:"company,omitempty"`
	Location     string `json:"location,omitempty"`
	RedirectLink string `json:"redirectLink,omitempty" schema:"redirectLink"`
}
