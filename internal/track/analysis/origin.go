package analysis

import (
	"encoding/json"
)

// Origin returns the surface and the model that a result names.
func Origin(stored json.RawMessage) (surface, model string) {
	var result struct {
		Surface string  `json:"surface"`
		Model   *string `json:"model"`
	}
	_ = json.Unmarshal(stored, &result) // an unreadable result has neither
	if result.Model != nil {
		model = *result.Model
	}
	return result.Surface, model
}
