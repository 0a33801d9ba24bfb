package responses

import (
	"slices"

	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// path is the API's entrance, below a base that ends with the API's version.
const path = "/responses"

// Ask is a question to an API of the family.
type Ask struct {
	Site   string // by the name that the client knows it by
	Model  string
	Prompt string
	Locale geo.Locale
	// Search makes the assistant search; without it, it decides.
	Search bool
	// Posts has the social network X searched besides the web, which only xAI does.
	Posts bool
}

// Question is the request for a question. The same question makes the same
// request.
func Question(q Ask) (*upstream.Request, error) {
	tools := []tool{{Type: "web_search", UserLocation: locate(q.Locale)}}
	include := []string{"web_search_call.action.sources"}
	if q.Posts {
		tools = append(tools, tool{Type: "x_search"})
		include = nil // xAI lists its sources unasked
	}
	choice := "auto"
	if q.Search {
		choice = "required"
	}
	request, err := upstream.PostJSON(q.Site, path, "text/event-stream", body{
		Model:      q.Model,
		Input:      q.Prompt,
		Tools:      tools,
		ToolChoice: choice,
		Include:    include,
		Stream:     true,
	}, q.Locale)
	request.Refusal = Refusal
	return request, err
}

type body struct {
	Model      string   `json:"model"`
	Input      string   `json:"input"`
	Tools      []tool   `json:"tools"`
	ToolChoice string   `json:"tool_choice"`
	Include    []string `json:"include,omitempty"`
	Stream     bool     `json:"stream"`
	Store      bool     `json:"store"` // never: the vendor would keep the question
}

type tool struct {
	Type         string    `json:"type"`
	UserLocation *location `json:"user_location,omitempty"`
}

// location is where the search is made from. One without a country is not left
// out: that would mean the United States.
type location struct {
	Type    string `json:"type"`
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
}

func locate(l geo.Locale) *location {
	place := &location{Type: "approximate", Country: l.Country}
	states := geo.States()
	if i := slices.IndexFunc(states, func(s geo.State) bool { return s.Code == l.State }); i >= 0 {
		place.Region = states[i].Name
	}
	return place
}
