package cassette

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// message is a request or a response, with the names that the formats give to
// its parts.
type message struct {
	Method     string          `json:"method"`
	URI        string          `json:"uri"`
	URL        string          `json:"url"`
	Headers    header          `json:"headers"`
	Status     status          `json:"status"`
	Code       status          `json:"code"`        // go-vcr
	StatusCode status          `json:"status_code"` // vcrpy over httpx
	Body       content         `json:"body"`
	Content    content         `json:"content"`     // HAR, vcrpy over httpx
	PostData   content         `json:"postData"`    // HAR
	ParsedBody json.RawMessage `json:"parsed_body"` // the JSON body as values
}

func (m *message) method() string { return strings.ToUpper(m.Method) }

func (m *message) url() string { return cmp.Or(m.URI, m.URL) }

func (m *message) status() int { return int(cmp.Or(m.Code, m.StatusCode, m.Status)) }

func (m *message) body() []byte {
	for _, body := range [][]byte{m.Body, m.Content, m.PostData} {
		if len(body) > 0 {
			return body
		}
	}
	if string(m.ParsedBody) == "null" {
		return nil
	}
	return m.ParsedBody
}

// status is a status code: a number, its line, or an object with its code.
type status int

// UnmarshalJSON takes what has no status for none.
func (s *status) UnmarshalJSON(data []byte) error {
	var object struct {
		Code json.Number `json:"code"`
	}
	text := strings.Trim(string(data), `"`)
	if json.Unmarshal(data, &object) == nil && object.Code != "" {
		text = object.Code.String()
	}
	code, _, _ := strings.Cut(text, " ")
	number, err := strconv.ParseUint(code, 10, 16)
	if err == nil && number >= 100 && number <= 999 {
		*s = status(number)
	}
	return nil
}

// content is a body: a string, or an object that says how it is written.
type content []byte

// UnmarshalJSON takes what is no body for an empty one.
func (c *content) UnmarshalJSON(data []byte) error {
	var object struct {
		String   json.RawMessage `json:"string"`
		Text     string          `json:"text"` // HAR
		Encoding string          `json:"encoding"`
	}
	if *c = written(data); *c != nil || json.Unmarshal(data, &object) != nil {
		return nil //nolint:nilerr // a list or number is no body
	}
	switch {
	case object.Text != "" && object.Encoding == "base64":
		*c = fromBase64(object.Text)
	case object.Text != "":
		*c = content(object.Text)
	default:
		*c = written(object.String)
	}
	return nil
}

// written is a string, or an object with a string in base64; nil for others.
func written(data []byte) []byte {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return []byte(text)
	}
	var object struct {
		Base64 string `json:"base64_string"`
	}
	if json.Unmarshal(data, &object) != nil || object.Base64 == "" {
		return nil
	}
	return fromBase64(object.Base64)
}

// fromBase64 is nil for what is no base64. YAML breaks it into indented lines.
func fromBase64(text string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil
	}
	return decoded
}

// header are header fields: by name with one or several values, or as a list of
// names and values.
type header struct{ http.Header }

// UnmarshalJSON leaves out what is no field.
func (h *header) UnmarshalJSON(data []byte) error {
	h.Header = http.Header{}
	var list []struct{ Name, Value string }
	if json.Unmarshal(data, &list) == nil {
		for _, field := range list {
			h.Add(field.Name, field.Value)
		}
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return nil //nolint:nilerr // no fields
	}
	for name, raw := range fields {
		var one string
		var several []string
		if json.Unmarshal(raw, &one) == nil {
			several = []string{one}
		} else if json.Unmarshal(raw, &several) != nil {
			continue
		}
		for _, value := range several {
			h.Add(name, value)
		}
	}
	return nil
}
