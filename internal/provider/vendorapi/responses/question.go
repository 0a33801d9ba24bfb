package responses

import (
	"earshot/internal/geo"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// path is the API's endpoint, relative to a base URL that ends with the API's version.
const path = "/responses"

// Ask is a question to an API of this family.
type Ask struct {
	Site   string // the client's name for the API
	Model  string
	Prompt string
	Locale geo.Locale
	// Search forces the assistant to search the web. Otherwise the assistant decides.
	Search bool
	// NoStream asks for the whole response at once.
	NoStream bool
	// Posts also searches the social network X. Only xAI supports it.
	Posts bool
}

// Question returns the request for a question. The same question always makes the same request.
func Question(q Ask) (*upstream.Request, error) {
	tools := []tool{{Type: "web_search", UserLocation: &location{Type: "approximate", Country: q.Locale.Country, Region: vendorapi.StateName(q.Locale.State)}}}
	include := []string{"web_search_call.action.sources"}
	if q.Posts {
		tools = append(tools, tool{Type: "x_search"})
		include = nil // xAI always lists its sources
	}
	choice := "auto"
	if q.Search {
		choice = "required"
	}
	accept := "text/event-stream"
	if q.NoStream {
		accept = "application/json"
	}
	request, err := upstream.PostJSON(q.Site, path, accept, body{
		Model:      q.Model,
		Input:      q.Prompt,
		Tools:      tools,
		ToolChoice: choice,
		Include:    include,
		Stream:     !q.NoStream,
	}, q.Locale)
	request.Refusal = vendorapi.RefusalBody
	return request, err
}

type body struct {
	Model      string   `json:"model"`
	Input      string   `json:"input"`
	Tools      []tool   `json:"tools"`
	ToolChoice string   `json:"tool_choice"`
	Include    []string `json:"include,omitempty"`
	Stream     bool     `json:"stream"`
	Store      bool     `json:"store"` // always false: otherwise the vendor would store the question
}

type tool struct {
	Type         string    `json:"type"`
	UserLocation *location `json:"user_location,omitempty"`
}

// location is where the search runs from. It is sent even without a country, because its absence
// would mean the United States.
type location struct {
	Type    string `json:"type"`
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
}
