package client

// Request asks one provider. The types of this file are the requests; the fields
// that each requires are named with it, and the rest may be left out.
type Request interface {
	// provider is the provider's path under /v1/monitor/, and its type of task.
	provider() (path, taskType string)
}

// ChatAssistantRequest asks the chat assistant. Prompt and Country are required.
type ChatAssistantRequest struct {
	Prompt           string               `json:"prompt"`
	Country          string               `json:"country"`         // ISO 3166-1 alpha-2
	State            string               `json:"state,omitempty"` // of the US
	Include          ChatAssistantInclude `json:"include,omitzero"`
	Legacy           bool                 `json:"legacy,omitempty"`           // the older interface, as far as it is served
	DisableWebSearch bool                 `json:"disableWebSearch,omitempty"` // leaves it to the assistant whether to search
}

// ChatAssistantInclude are the parts of an answer that come only on demand.
// Shopping, RawResponse, SearchQueries and Ads together cost one add-on.
type ChatAssistantInclude struct {
	HTML          bool `json:"html,omitempty"`
	Markdown      bool `json:"markdown,omitempty"`
	RawResponse   bool `json:"rawResponse,omitempty"`
	SearchQueries bool `json:"searchQueries,omitempty"`
	Ads           bool `json:"ads,omitempty"`
	Shopping      bool `json:"shopping,omitempty"`
}

// GenAssistantRequest asks the generative assistant. Prompt and Country are
// required.
type GenAssistantRequest struct {
	Prompt  string           `json:"prompt"`
	Country string           `json:"country"`         // ISO 3166-1 alpha-2
	State   string           `json:"state,omitempty"` // of the US
	Include AssistantInclude `json:"include,omitzero"`
}

// SocialAssistantRequest asks the social assistant. Prompt and Country are
// required.
type SocialAssistantRequest struct {
	Prompt  string           `json:"prompt"`
	Country string           `json:"country"`         // ISO 3166-1 alpha-2
	State   string           `json:"state,omitempty"` // of the US
	Include AssistantInclude `json:"include,omitzero"`
}

// OfficeAssistantRequest asks the office assistant. Prompt and Country are
// required.
type OfficeAssistantRequest struct {
	Prompt  string           `json:"prompt"`
	Country string           `json:"country"`         // ISO 3166-1 alpha-2
	State   string           `json:"state,omitempty"` // of the US
	Include AssistantInclude `json:"include,omitzero"`
}

// AnswerEngineRequest asks the answer engine. Prompt and Country are required.
type AnswerEngineRequest struct {
	Prompt  string           `json:"prompt"`
	Country string           `json:"country"`         // ISO 3166-1 alpha-2
	State   string           `json:"state,omitempty"` // of the US
	Include AssistantInclude `json:"include,omitzero"`
}

// AssistantInclude are the parts of an answer that come only on demand. They cost
// nothing.
type AssistantInclude struct {
	HTML        bool `json:"html,omitempty"`
	Markdown    bool `json:"markdown,omitempty"`
	RawResponse bool `json:"rawResponse,omitempty"`
}

// SearchAIModeRequest asks the AI mode of the search engine. Prompt is required.
type SearchAIModeRequest struct {
	Prompt   string              `json:"prompt"`
	Country  string              `json:"country,omitempty"`  // ISO 3166-1 alpha-2
	GL       string              `json:"gl,omitempty"`       // in the place of Country
	HL       string              `json:"hl,omitempty"`       // the language, such as de or pt-BR
	Location string              `json:"location,omitempty"` // City,Region,Country
	UULE     string              `json:"uule,omitempty"`     // an encoded location, in the place of Location
	Device   Device              `json:"device,omitempty"`   // Desktop or Mobile
	Include  SearchAIModeInclude `json:"include,omitzero"`
}

// SearchAIModeInclude are the parts of an answer that come only on demand.
// ExpandProducts costs one credit for each product that is returned with offers.
type SearchAIModeInclude struct {
	HTML           bool `json:"html,omitempty"`
	Markdown       bool `json:"markdown,omitempty"`
	ExpandProducts bool `json:"expandProducts,omitempty"`
}

// Device is whose result page to read.
type Device string

// The devices.
const (
	Desktop Device = "desktop"
	Mobile  Device = "mobile" // the same as Android
	IOS     Device = "ios"
	Android Device = "android"
)

// WebSearchRequest searches the web: for Query in a Country (or GL), or with a
// complete URL of the search engine in the place of Query, Location, UULE and
// Pages.
type WebSearchRequest struct {
	Query    string           `json:"query,omitempty"`
	URL      string           `json:"url,omitempty"`
	Country  string           `json:"country,omitempty"`  // ISO 3166-1 alpha-2
	GL       string           `json:"gl,omitempty"`       // in the place of Country
	HL       string           `json:"hl,omitempty"`       // the language, such as de or pt-BR
	Location string           `json:"location,omitempty"` // City,Region,Country
	UULE     string           `json:"uule,omitempty"`     // an encoded location, in the place of Location
	Device   Device           `json:"device,omitempty"`
	Pages    int              `json:"pages,omitempty"` // 1 to 10; each after the first costs extra
	Include  WebSearchInclude `json:"include,omitzero"`
}

// WebSearchInclude are the parts of a result that come only on demand.
// SearchOverview and PAASearchOverview together cost one add-on.
type WebSearchInclude struct {
	HTML              bool                   `json:"html,omitempty"`
	SearchOverview    *SearchOverviewInclude `json:"searchoverview,omitempty"` // nil for no overview
	PAASearchOverview bool                   `json:"paaSearchoverview,omitempty"`
}

// SearchOverviewInclude asks for the AI overview of a result page. Its zero value
// does so already.
type SearchOverviewInclude struct {
	Markdown bool `json:"markdown,omitempty"`
}

// NewsRequest searches the news. Query is required.
type NewsRequest struct {
	Query   string      `json:"query"`
	Country string      `json:"country,omitempty"` // ISO 3166-1 alpha-2
	GL      string      `json:"gl,omitempty"`      // in the place of Country
	HL      string      `json:"hl,omitempty"`      // the language, such as de or pt-BR
	Device  Device      `json:"device,omitempty"`
	Pages   int         `json:"pages,omitempty"` // 1 to 10; each after the first costs extra
	Include NewsInclude `json:"include,omitzero"`
}

// NewsInclude are the parts of a result that come only on demand. They cost
// nothing.
type NewsInclude struct {
	HTML bool `json:"html,omitempty"`
}

func (ChatAssistantRequest) provider() (path, taskType string) {
	return "chatassistant", "CHATASSISTANT"
}

func (GenAssistantRequest) provider() (path, taskType string) { return "genassistant", "GENASSISTANT" }

func (SocialAssistantRequest) provider() (path, taskType string) {
	return "socialassistant", "SOCIALASSISTANT"
}

func (OfficeAssistantRequest) provider() (path, taskType string) {
	return "officeassistant", "OFFICEASSISTANT"
}

func (AnswerEngineRequest) provider() (path, taskType string) { return "answerengine", "ANSWERENGINE" }

func (SearchAIModeRequest) provider() (path, taskType string) { return "searchaimode", "SEARCHAIMODE" }

func (WebSearchRequest) provider() (path, taskType string) { return "websearch", "WEBSEARCH" }

func (NewsRequest) provider() (path, taskType string) { return "websearch/news", "WEBSEARCH_NEWS" }
