package batchfile

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// Question is the question of a row.
type Question struct {
	Provider string // provider's name or task type; empty if the row has none
	Priority int    // 0 if the row has none
	Webhook  string // empty if the row has none
	Key      string // the row's own idempotency key; empty if the row has none
	Payload  map[string]any
}

// Question splits a row into the provider's request and the other fields. A row may also
// have the form of a task in the API, with a payload.
func (r Row) Question() (Question, error) {
	q := Question{Payload: maps.Clone(r.Fields)}
	for _, name := range []string{"provider", "taskType"} {
		value, has := q.Payload[name]
		if !has {
			continue
		}
		text, ok := value.(string)
		if !ok || text == "" {
			return q, fmt.Errorf("%s must be a provider's name", name)
		}
		if q.Provider == "" {
			q.Provider = text
		}
		delete(q.Payload, name)
	}
	if value, has := q.Payload["priority"]; has {
		var err error
		if q.Priority, err = strconv.Atoi(fmt.Sprint(value)); err != nil || q.Priority < 1 || q.Priority > 10 {
			return q, errors.New("priority must be from 1 to 10")
		}
		delete(q.Payload, "priority")
	}
	if err := q.takeTexts(); err != nil {
		return q, err
	}
	payload, ok := q.Payload["payload"].(map[string]any)
	if !ok {
		for _, name := range []string{"country", "state"} {
			if text, isText := q.Payload[name].(string); isText {
				q.Payload[name] = strings.ToUpper(text)
			}
		}
		return q, nil
	}
	delete(q.Payload, "payload")
	for name := range q.Payload {
		return q, fmt.Errorf("%s is outside of payload: move it into payload or remove it", name)
	}
	q.Payload = payload
	return q, nil
}

// takeTexts moves the webhook and the idempotency key from the payload to their fields.
func (q *Question) takeTexts() error {
	if value, has := q.Payload["webhook"]; has {
		if object, ok := value.(map[string]any); ok { // the form of the API
			value = object["url"]
		}
		text, ok := value.(string)
		if !ok || text == "" {
			return errors.New("webhook must be a URL")
		}
		q.Webhook = text
		delete(q.Payload, "webhook")
	}
	if value, has := q.Payload["idempotencyKey"]; has {
		text, ok := value.(string)
		if !ok || text == "" {
			return errors.New("idempotencyKey must be a string")
		}
		q.Key = text
		delete(q.Payload, "idempotencyKey")
	}
	return nil
}

// For returns the payload for a provider. textField is the provider's field for the
// text, prompt or query. country is the default for rows without a place; it may be empty.
func (q Question) For(textField, country string) map[string]any {
	payload := maps.Clone(q.Payload)
	if country != "" && !q.NamesPlace() {
		payload["country"] = country
	}
	other := map[string]string{"prompt": "query", "query": "prompt"}[textField]
	if text, has := payload[other]; has && payload[textField] == nil {
		payload[textField] = text
		delete(payload, other)
	}
	return payload
}

// NamesPlace reports whether the row sets its own place.
func (q Question) NamesPlace() bool {
	return q.Payload["country"] != nil || q.Payload["gl"] != nil || q.Payload["url"] != nil
}
