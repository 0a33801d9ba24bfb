package openapi

import (
	_ "embed" // for the texts
	"fmt"

	"go.yaml.in/yaml/v3"

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
func (v *value) UnmarshalYAML(n *yaml.Node) error {
	var err error
	v.any, err = ordered(n)
	return err
}

func ordered(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		object := schema.Map{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := ordered(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			object.Set(n.Content[i].Value, inner)
		}
		return object, nil
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = ordered(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		var scalar any
		if err := n.Decode(&scalar); err != nil {
			return nil, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return scalar, nil
	}
}
