package earshot

// ContentQuery is a choice of the answers whose contents are listed, and of the rows of the list.
type ContentQuery struct {
	// Only sweeps due at or after this time or day, by default the last 28 days up to `to`. Days are in the tracker's time zone.
	From string `json:"from,omitempty" schema:"moment"`
	// Only sweeps due before this time, or on or before this day; by default up to today.
	To string `json:"to,omitempty" schema:"moment"`
	// Only answers that match, such as `target:chatassistant/US,tag:trail`. Values of one dimension are alternatives. Prompts are given by text or number (`prompt:3`). The filter reduces the denominators. Use `brand` to select rows of a brand.
	Filter string `json:"filter,omitempty" schema:"maxLength=2000"`
	// Include prompts that contain the name of one of the tracker's brands.
	Branded bool `json:"branded,omitempty"`
	// Only rows of this brand of the tracker.
	Brand string `json:"brand,omitempty" schema:"maxLength=200"`
	// Only rows whose text contains these words. Upper and lower case are equal.
	Text string `json:"q,omitempty" schema:"maxLength=500"`
	// The maximum number of rows.
	Limit int `json:"limit,omitempty" schema:"min=1,max=500,default=100"`
	// How many rows to skip.
	Offset int `json:"offset,omitempty" schema:"min=0,max=100000000"`
}

// ContentHead is the sample of a list of contents.
type ContentHead struct {
	Tracker string `json:"tracker"`
	// The version of the tracker's rules, such as `r14`.
	Rules string `json:"rules"`
	// Whether any of the answers was made up by the lab.
	MadeUp bool `json:"madeUp"`
	// How many closed sweeps were read.
	Sweeps int `json:"sweeps" schema:"min=0"`
	// How many closed sweeps the period has. If it has more than were read, it has too many answers for one request, and the list is a sample: all answers of `sweeps` sweeps that are spread evenly over the period. The counts are counts of the sample.
	SweepsInPeriod int `json:"sweepsInPeriod" schema:"min=0"`
	// How many answers report what is listed, even if they contain nothing. It is the denominator of the shares.
	Answers int `json:"answers" schema:"min=0"`
	// How many further answers are left out because what is listed was not requested from the provider.
	NotRequested int `json:"notRequested" schema:"min=0"`
	// How many further answers are left out because the provider does not offer it.
	NotOffered int `json:"notOffered" schema:"min=0"`
	// How many rows match, on all pages.
	Total int `json:"total" schema:"min=0"`
	// Whether more rows follow.
	More bool `json:"more"`
}

// Seen is where and when something occurs in the answers of the period.
type Seen struct {
	// How many answers contain it.
	Answers int `json:"answers" schema:"min=1"`
	// How many different prompts these answers belong to.
	Prompts int `json:"prompts" schema:"min=1"`
	// The targets on which it occurs.
	Targets List[string] `json:"targets"`
	// When the first and the last of these answers were asked.
	FirstSeen Timestamp `json:"firstSeen"`
	LastSeen  Timestamp `json:"lastSeen"`
	// The id of the last of these answers.
	Newest string `json:"newest" schema:"uuid"`
}

// SearchReport is the searches that assistants ran for the prompts of a tracker.
type SearchReport struct {
	ContentHead
	Rows List[SearchRow] `json:"rows"`
}

// SearchRow is one search. Searches that differ only in case or white space are one search.
type SearchRow struct {
	// The most frequent spelling.
	Search string `json:"search"`
	Seen
	// The prompt whose answers ran the search most often, and its number.
	Prompt   string `json:"prompt"`
	PromptID int    `json:"promptId" schema:"min=1"`
	// The words of the search that this prompt does not have.
	Added List[string] `json:"added"`
	// The words of this prompt that the search does not have.
	Dropped List[string] `json:"dropped"`
	// The brands that the search names.
	Names List[string] `json:"names"`
	// In how many answers a page of a rival was retrieved or cited and no page of an own brand.
	Missed int `json:"missed" schema:"min=0"`
	// How many of the answers report the pages that were retrieved. It is the denominator of the brands' shares.
	WithSources int `json:"withSources" schema:"min=0"`
	// One entry for each brand of the tracker, in the order of the definition.
	Brands List[SearchBrand] `json:"brands"`
}

// SearchBrand is how often the answers of a search read the pages of a brand.
type SearchBrand struct {
	Brand string `json:"brand"`
	Own   bool   `json:"own"`
	// In how many answers a page of the brand was retrieved or cited.
	Retrieved int `json:"retrieved" schema:"min=0"`
	// In how many answers a page of the brand was cited.
	Cited int `json:"cited" schema:"min=0"`
	// The share of the answers in which a page of the brand was retrieved or cited; `null` when no answer reports retrieved pages.
	Share *float64 `json:"share" schema:"min=0,max=1"`
}

// AdReport is the ads in the answers of a tracker.
type AdReport struct {
	ContentHead
	Rows List[AdRow] `json:"rows"`
}

// AdRow is one ad of one advertiser. Ads that differ only in case or white space are one ad.
type AdRow struct {
	// The advertiser as the ad names it.
	Advertiser string `json:"advertiser,omitempty"`
	// The advertiser's domain.
	Domain string `json:"domain,omitempty"`
	Title  string `json:"title"`
	Text   string `json:"text,omitempty"`
	// Where the last of the ads leads to.
	URL string `json:"url,omitempty"`
	// The brands of the tracker that the ad names or whose domain it leads to.
	Brands List[string] `json:"brands"`
	// The places on the page where the ad was shown.
	Blocks List[string] `json:"blocks"`
	// How often the ad was shown; an answer may show it several times.
	Shown int `json:"shown" schema:"min=1"`
	Seen
	// The share of the answers that report ads.
	Share float64 `json:"share" schema:"min=0,max=1"`
}

// ProductReport is the products that the answers of a tracker show.
type ProductReport struct {
	ContentHead
	Rows List[ProductRow] `json:"rows"`
	// The merchants of all products that match, at most 100. The merchants with the most offers come first.
	Merchants List[MerchantOffers] `json:"merchants"`
}

// ProductRow is one product. Products are equal if they have the same id or, without ids, the same title.
type ProductRow struct {
	// The key that identifies the product in metrics: `id:` and its id, or `title:` and its title in lower case without accents.
	Product string `json:"product"`
	// The most frequent title.
	Title string `json:"title"`
	// The page of the product in the newest answer that has one.
	URL string `json:"url,omitempty"`
	// The brands of the tracker that a title names, and the brands that own the page or the merchant.
	Brands List[string] `json:"brands"`
	Seen
	// The share of the answers that report products.
	Share float64 `json:"share" schema:"min=0,max=1"`
	// The median of the product's rank among the products of an answer.
	MedianRank float64 `json:"medianRank" schema:"min=1"`
	// The merchants that offer the product. The merchants with the most offers come first.
	Merchants List[MerchantOffers] `json:"merchants"`
	// One entry for each currency. Prices are not converted.
	Prices List[ProductPrice] `json:"prices"`
}

// MerchantOffers is the number of offers of one merchant. A merchant counts once for each product of an answer.
type MerchantOffers struct {
	// The key that identifies the merchant in metrics: `domain:` and its domain, or `name:` and its name in lower case without accents.
	Merchant string `json:"merchant"`
	// The most frequent name.
	Name   string `json:"name,omitempty"`
	Domain string `json:"domain,omitempty"`
	Offers int    `json:"offers" schema:"min=1"`
	// The share of all offers of the same products.
	Share float64 `json:"share" schema:"min=0,max=1"`
}

// ProductPrice is the prices of a product in one currency, over all merchants.
type ProductPrice struct {
	Currency string `json:"currency"`
	PriceRange
	// How many answers have a price.
	Answers int `json:"answers" schema:"min=1"`
	// The prices of each sweep that has any, in the order of time.
	Points List[PricePoint] `json:"points"`
}

// PriceRange is the lowest and the median of some prices. An answer has one price for each merchant.
type PriceRange struct {
	Lowest float64 `json:"lowest"`
	Median float64 `json:"median"`
	// How many prices there are.
	Offers int `json:"offers" schema:"min=1"`
}

// PricePoint is the prices of a product in one sweep.
type PricePoint struct {
	Sweep string `json:"sweep" schema:"uuid"`
	// When the sweep was due.
	At Timestamp `json:"at"`
	PriceRange
}
