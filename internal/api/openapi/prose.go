package openapi

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/goccy/go-yaml"

	"earshot/internal/schema"
)

// prose has general.yaml, and a file for each file of package api that declares operations.
//
//go:embed prose
var prose embed.FS

// comments are the doc comments of package earshot, by Type and Type.field.
//
//go:embed comments.json
var comments []byte

// texts is the content of the files in prose.
type texts struct {
	Info    value `yaml:"info"`
	Tags    value `yaml:"tags"`
	Headers value `yaml:"headers"`
	// IdempotencyKey describes the request header Idempotency-Key.
	IdempotencyKey string `yaml:"idempotencyKey"`
	// RequestKey describes the same header of requests that are not calls.
	RequestKey string `yaml:"requestKey"`
	// IfMatch describes the request header If-Match.
	IfMatch string `yaml:"ifMatch"`

	Failures   map[string]failureText    `yaml:"failures"`
	Operations map[string]*operationText `yaml:"operations"`
	Webhooks   map[string]*webhookText   `yaml:"webhooks"` // by the names of webhooks
	// WebhookHeaders are the headers of every webhook, as parameters.
	WebhookHeaders value `yaml:"webhookHeaders"`
}

// webhookText describes a webhook.
type webhookText struct {
	Summary     string `yaml:"summary"`
	Description string `yaml:"description"`
	Examples    value  `yaml:"examples"`
}

// failureText describes an error response.
type failureText struct {
	Description string   `yaml:"description"`
	Codes       []string `yaml:"codes"` // the possible error codes
	Example     value    `yaml:"example"`
}

// operationText describes an operation or a provider.
type operationText struct {
	ID          string            `yaml:"id"`
	SDK         string            `yaml:"sdk"` // method of the Python and TypeScript clients, such as trackers.metrics
	Tag         string            `yaml:"tag"`
	Summary     string            `yaml:"summary"`
	Description string            `yaml:"description"`
	Parameters  map[string]string `yaml:"parameters"` // of the path
	Requests    value             `yaml:"requests"`   // examples
	Answer      string            `yaml:"answer"`     // description of the 200 response
	Media       string            `yaml:"media"`      // its media type, or several with spaces between; "" for JSON
	Headers     []string          `yaml:"headers"`    // of the 200 response, in addition to the headers of all responses
	Responses   value             `yaml:"responses"`  // examples
	Errors      []string          `yaml:"errors"`     // names of failures
	Idempotent  bool              `yaml:"-"`          // takes an idempotency key in a header
}

// readTexts returns the texts of all files.
func readTexts(files fs.FS) (*texts, error) {
	var all texts
	operations := map[string]*operationText{}
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		all.Operations = nil
		if err := yaml.UnmarshalWithOptions(content, &all, yaml.UseOrderedMap(), yaml.Strict()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for name, text := range all.Operations {
			if operations[name] != nil {
				return fmt.Errorf("%s describes %s again", path, name)
			}
			operations[name] = text
		}
		return nil
	})
	all.Operations = operations
	return &all, err
}

// value is any YAML value; mappings keep their order.
type value struct{ any }

// UnmarshalYAML decodes any value and keeps the order of mappings.
func (v *value) UnmarshalYAML(decode func(any) error) error {
	var read any
	err := decode(&read)
	v.any = ordered(read)
	return err
}

// ordered converts the mappings of a value that was decoded with yaml.UseOrderedMap.
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
