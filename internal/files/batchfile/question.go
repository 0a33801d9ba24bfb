package batchfile

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
)

// Question is what a row asks.
type Question struct {
	Provider string // its name or task type; "" where the row names none
	Priority int    // 0 where the row names none
	Webhook  string // "" for none
	Key      string // the idempotency key that the row names itself; "" for none
	Payload  map[string]any
}

// Question takes a row apart: what is not a field of the provider's request, and the
// request. A row may have the API's own shape, with a payload.
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
		return q, nil
	}
	delete(q.Payload, "payload")
	for name := range q.Payload {
		return q, fmt.Errorf("%s stands beside payload: it belongs inside, or nowhere", name)
	}
	q.Payload = payload
	return q, nil
}

// takeTexts takes the webhook and the idempotency key out of the payload.
func (q *Question) takeTexts() error {
	if value, has := q.Payload["webhook"]; has {
		if object, ok := value.(map[string]any); ok { // as the API has it
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
			return errors.New("idempotencyKey must be a text")
		}
		q.Key = text
		delete(q.Payload, "idempotencyKey")
	}
	return nil
}

// For is the payload for a provider that expects the text in the named field, prompt
// or query, from a country where the row names no place; "" for none.
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

// NamesPlace tells whether the row says itself where it asks from.
func (q Question) NamesPlace() bool {
	return q.Payload["country"] != nil || q.Payload["gl"] != nil || q.Payload["url"] != nil
}
