// Package docs carries the documents that the binary serves.
package docs

import (
	_ "embed" // for the document
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the description of the HTTP API, as JSON.
func OpenAPI() ([]byte, error) {
	var document any
	if err := yaml.Unmarshal(openAPI, &document); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return json.Marshal(document)
}
