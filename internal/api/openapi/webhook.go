package openapi

import (
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/schema"
)

// webhook is a kind of webhook that the service sends.
type webhook struct {
	name string
	body any
	kind string // the body's `type`; "" if the body has no type
}

// sent returns all webhooks.
func sent() []webhook {
	all := []webhook{{"taskFinished", earshot.TaskRecord{}, ""}, {"webhookTest", earshot.WebhookTestEvent{}, ""}}
	for _, kind := range earshot.SweepCompleted.Values() {
		all = append(all, event(string(kind), earshot.SweepEvent{}))
	}
	for _, kind := range earshot.AlertRaised.Values() {
		all = append(all, event(string(kind), earshot.AlertEvent{}))
	}
	for _, kind := range earshot.ReportMade.Values() {
		all = append(all, event(string(kind), earshot.ReportEvent{}))
	}
	return all
}

// event returns the webhook of an event: `sweep.completed` is named sweepCompleted.
func event(kind string, body any) webhook {
	thing, what, _ := strings.Cut(kind, ".")
	return webhook{thing + strings.ToUpper(what[:1]) + what[1:], body, kind}
}

// webhooks describes all webhooks.
func (b *builder) webhooks() (schema.Map, error) {
	var all schema.Map
	for _, w := range sent() {
		text := b.texts.Webhooks[w.name]
		if text == nil {
			return nil, fmt.Errorf("the prose does not describe the webhook %q", w.name)
		}
		shape := b.types.Of(w.body)
		if w.kind != "" {
			shape = object("allOf", []schema.Map{shape, property("type", constant(w.kind))})
		}
		all.Set(w.name, object("post", object(
			"operationId", w.name, "tags", []string{"Events"}, "summary", text.Summary, "description", text.Description,
			"security", []any{}, "parameters", b.texts.WebhookHeaders.any,
			"requestBody", object("required", true, "content", content("application/json", shape, text.Examples)),
			"responses", object("2XX", object("description", "Acknowledged.")),
		)))
	}
	if len(all) != len(b.texts.Webhooks) {
		return nil, fmt.Errorf("the prose describes %d webhooks, but the service sends %d", len(b.texts.Webhooks), len(all))
	}
	return all, nil
}
