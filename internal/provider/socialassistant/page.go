package socialassistant

import "earshot/internal/provider/answer"

// page is where things stand on a saved page of the assistant's site. It is
// served to people; we are served one only in the place of a stream, when it
// wants something of us. What somebody asked looks the same as the reply, so
// the last that was said counts.
var page = answer.NewPage(answer.Layout{
	Turn:    ".message-bubble",
	Message: ".message-bubble",
	Aside:   ".thinking-container",
	Chip:    ".citation",
	Own:     ownSources,
})
