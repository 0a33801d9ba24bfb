package vendorapi

import (
	"strings"

	"earshot/internal/provider/loosejson"
)

// MessageText returns the text of a message of a chat completion, which is a string or a list of
// parts.
func MessageText(message loosejson.Object) string {
	if text := loosejson.AsText(message["content"]); text != "" {
		return text
	}
	var text strings.Builder
	for _, part := range message.Objects("content") {
		text.WriteString(loosejson.AsText(part["text"]))
	}
	return text.String()
}

// Pages returns the pages in a list. An item may be an object or just a URL.
func Pages(list []any) []loosejson.Object {
	pages := make([]loosejson.Object, len(list))
	for i, item := range list {
		if pages[i] = loosejson.AsObject(item); pages[i] == nil {
			pages[i] = loosejson.Object{"url": item}
		}
	}
	return pages
}
