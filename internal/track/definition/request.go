package definition

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// DecodeRequest decodes and checks the request of a provider.
func DecodeRequest(asked provider.Provider, payload []byte) (provider.Request, []earshot.FieldProblem) {
	request, err := provider.ParseRequest(asked, payload)
	if err == nil {
		return request, nil
	}
	if e, ok := errors.AsType[*earshot.Error](err); ok {
		if problems, ok := e.Details.([]earshot.FieldProblem); ok {
			return nil, problems
		}
	}
	return nil, []earshot.FieldProblem{{Field: schema.BodyField, Message: err.Error()}}
}

// fieldOfTarget returns the field of a target that sets a field of the provider's request.
func fieldOfTarget(field string) string {
	switch field {
	case "country", "state", "device":
		return field
	case "hl":
		return "language"
	default:
		return "options." + field
	}
}

// fallbackNever is the value of a definition's fallback that allows only the first upstream.
const fallbackNever = "never"

// payloadOf returns the request for a prompt on a target. fallback is the definition's.
func payloadOf(about provider.Definition, prompt earshot.TrackedPrompt, target earshot.Target, fallback string) ([]byte, error) {
	payload := map[string]any{about.TextField(): prompt.Text, "country": target.Country}
	if fallback == fallbackNever {
		payload["fallback"] = false
	}
	if target.State != "" {
		payload["state"] = target.State
	}
	if target.Device != "" {
		payload["device"] = target.Device
	}
	if target.Language != "" {
		payload["hl"] = target.Language
	}
	if target.Options != nil {
		var options map[string]json.RawMessage
		if err := json.Unmarshal(target.Options, &options); err != nil {
			return nil, fmt.Errorf("must be an object: %w", err)
		}
		for name, value := range options {
			if _, taken := payload[name]; taken || slices.Contains([]string{"prompt", "query", "url", "country", "gl", "state", "device", "hl"}, name) {
				return nil, fmt.Errorf("must not contain %s: the tracker sets it", name)
			}
			payload[name] = value
		}
	}
	completeOptions(payload, reflect.TypeOf(about.Request))
	return json.Marshal(payload)
}

// completeOptions replaces true by {} in fields that are objects, and removes such fields
// if they are false. It requests Markdown wherever the provider has it, because the analysis
// reads Markdown, and it costs nothing. The stored options stay unchanged, so that a target
// keeps its id.
func completeOptions(options map[string]any, request reflect.Type) {
	for i := range request.NumField() {
		field := request.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		text, given := options[name].(json.RawMessage)
		if name == "markdown" && (!given || string(text) == "false") {
			options[name] = true
			continue
		}
		kind, optional := field.Type, field.Type.Kind() == reflect.Pointer
		if optional {
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct || !given && optional {
			continue
		}
		var inner map[string]json.RawMessage
		switch {
		case string(text) == "false":
			delete(options, name)
			if optional {
				continue
			}
		case given && string(text) != "true":
			if json.Unmarshal(text, &inner) != nil || inner == nil {
				continue // the provider will reject the value
			}
		}
		fields := make(map[string]any, len(inner))
		for name, value := range inner {
			fields[name] = value
		}
		completeOptions(fields, kind)
		if given && string(text) != "false" || len(fields) > 0 {
			options[name] = fields
		}
	}
}

// judgeTarget returns the judge as a target. A model needs a country: it is the first target's.
func (d *Definition) judgeTarget() earshot.Target {
	options, _ := json.Marshal(map[string]string{"model": d.Judge.Model}) // never fails
	return earshot.Target{Provider: d.Judge.Provider, Country: cmp.Or(d.Targets[0].Country, "US"), Options: options}
}

// JudgePayload returns the request that asks the judge of a definition.
func (s *Reader) JudgePayload(d *Definition, prompt string) ([]byte, error) {
	asked, err := s.Catalogue.Provider(d.Judge.Provider)
	if err != nil {
		return nil, err
	}
	return payloadOf(asked.Definition(), earshot.TrackedPrompt{Text: prompt}, d.judgeTarget(), d.Fallback)
}

// promptKey identifies a prompt.
func promptKey(p earshot.TrackedPrompt) string { return p.Language + "\x00" + p.Text }

// targetKey identifies a target. The order of its options does not matter.
func targetKey(t earshot.Target) string {
	var options any
	if t.Options != nil {
		_ = json.Unmarshal(t.Options, &options) // already checked
	}
	sorted, _ := json.Marshal(options) // sorts the keys
	return strings.Join([]string{t.Provider, t.Country, t.State, string(t.Device), t.Language, string(sorted)}, "\x00")
}

// targetName returns the name of a target, which may not be unique.
func targetName(t earshot.Target) string {
	name := t.Provider + "/" + t.Country
	for _, part := range []string{t.State, string(t.Device), t.Language} {
		if part != "" {
			name += "/" + part
		}
	}
	return name
}

// price checks a target against the rules of its provider, and returns the maximum cost of a
// task on the target. The fields of the problems are fields of the target.
func (s *Reader) price(target earshot.Target, fallback string) (int64, []earshot.FieldProblem) {
	invalid := func(field, message string) (int64, []earshot.FieldProblem) {
		return 0, []earshot.FieldProblem{{Field: field, Message: message}}
	}
	asked, err := s.Catalogue.Provider(target.Provider)
	if err != nil {
		return invalid("provider", "must be one of "+strings.Join(s.Catalogue.Names(), ", "))
	}
	if target.Country != "" && !geo.IsCountry(target.Country) {
		return invalid("country", "must be an upper-case ISO 3166-1 alpha-2 code such as US")
	}
	payload, err := payloadOf(asked.Definition(), earshot.TrackedPrompt{Text: "x"}, target, fallback)
	if err != nil {
		return invalid("options", err.Error())
	}
	request, problems := DecodeRequest(asked, payload)
	for i := range problems {
		problems[i].Field = fieldOfTarget(problems[i].Field)
	}
	if problems != nil {
		return 0, problems
	}
	return s.Price(asked.Definition(), request), nil
}
