package openapi

import (
	_ "embed" // for the texts
	"fmt"

	"github.com/goccy/go-yaml"

	"earshot/internal/schema"
)

//go:embed prose.yaml
var prose []byte

// comments are the doc comments of package earshot, by Type and Type.field.
//
//go:embed comments.json
var comments []byte

// texts is what prose.yaml says.
type texts struct {
	Info    value `yaml:"info"`
	Tags    value `yaml:"tags"`
	Headers value `yaml:"headers"`
	// IdempotencyKey describes the header of a call that holds one.
	IdempotencyKey string `yaml:"idempotencyKey"`

	Failures   map[string]failureText    `yaml:"failures"`
	Operations map[string]*operationText `yaml:"operations"`
	Webhooks   map[string]*webhookText   `yaml:"webhooks"` // by the names of webhooks
	// WebhookHeaders are the headers that every webhook has, as parameters.
	WebhookHeaders value `yaml:"webhookHeaders"`
}

// webhookText is what prose says of a webhook.
type webhookText struct {
	Summary     string `yaml:"summary"`
	Description string `yaml:"description"`
	Examples    value  `yaml:"examples"`
}

// failureText is an answer that is no success.
type failureText struct {
	Description string   `yaml:"description"`
	Codes       []string `yaml:"codes"` // that it can carry
	Example     value    `yaml:"example"`
}

// operationText is what prose says of an operation, or of a provider.
type operationText struct {
	ID          string            `yaml:"id"`
	Tag         string            `yaml:"tag"`
	Summary     string            `yaml:"summary"`
	Description string            `yaml:"description"`
	Parameters  map[string]string `yaml:"parameters"` // of the path
	Requests    value             `yaml:"requests"`   // examples
	Answer      string            `yaml:"answer"`     // what the 200 is
	Media       string            `yaml:"media"`      // its media type, or several with spaces between; "" for JSON
	Headers     []string          `yaml:"headers"`    // of the 200, beside those of all answers
	Responses   value             `yaml:"responses"`  // examples
	Errors      []string          `yaml:"errors"`     // names of failures
	Idempotent  bool              `yaml:"-"`          // takes an idempotency key in a header
}

// value is any YAML, with the names of mappings in their order.
type value struct{ any }

// UnmarshalYAML keeps the order.
func (v *value) UnmarshalYAML(decode func(any) error) error {
	var read any
	err := decode(&read)
	v.any = ordered(read)
	return err
}

// ordered replaces the mappings in a value that was read with yaml.UseOrderedMap.
func ordered(read any) any {
	switch read := read.(type) {
	case yaml.MapSlice:
		object := schema.Map{}
		for _, item := range read {
			object.Set(fmt.Sprint(item.Key), ordered(item.Value))
		}
		return object
	case []any:
		list := make([]any, len(read))
		for i, item := range read {
			list[i] = ordered(item)
		}
		return list
	default:
		return read
	}
}
