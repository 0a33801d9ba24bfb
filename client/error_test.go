package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/client"
)

func TestErrorFromTheService(t *testing.T) {
	t.Parallel()
	c, _ := answering(fails(403, "INSUFFICIENT_CREDITS", `{"required":7,"remaining":2}`, "X-Request-Id", "r-1", "X-Credits-Remaining", "2"))
	_, usage, err := c.ChatAssistant(t.Context(), earshot.ChatAssistantRequest{})
	if usage.CreditsRemaining != 2 || usage.RequestID != "r-1" || usage.CreditsCharged != 0 {
		t.Errorf("the usage is %+v", usage)
	}
	err = fmt.Errorf("monitoring: %w", err)
	var answer *client.Error
	if !errors.As(err, &answer) || answer.Code != earshot.CodeNoCredits || answer.Status != 403 || answer.RequestID != "r-1" || answer.Message != "no" {
		t.Errorf("the error is %+v", answer)
	}
	if !client.IsCode(err, earshot.CodeNoCredits) || client.IsCode(err, earshot.CodeNotFound) || earshot.ErrorCode(err) != earshot.CodeNoCredits {
		t.Errorf("the code of %v is wrong", err)
	}
	if details, ok := client.Details[earshot.CreditDetails](err); !ok || details != (earshot.CreditDetails{Required: 7, Remaining: 2}) {
		t.Errorf("the details are %+v, %t", details, ok)
	}
	if details, ok := client.Details[earshot.LimitDetails](err); ok {
		t.Errorf("details of another code are %+v", details)
	}
}

func TestDetailsOfEveryCode(t *testing.T) {
	t.Parallel()
	from := func(code, details string) error {
		c, _ := answering(fails(400, code, details))
		return reading(t.Context(), c)
	}
	if got, ok := client.Details[[]earshot.FieldProblem](from("VALIDATION_ERROR", `[{"field":"prompt","message":"is missing"}]`)); !ok || len(got) != 1 || got[0].Field != "prompt" {
		t.Errorf("VALIDATION_ERROR: %+v", got)
	}
	if got, ok := client.Details[earshot.ScopeDetails](from("INSUFFICIENT_PERMISSIONS", `{"requiredScope":"admin"}`)); !ok || got.RequiredScope != "admin" {
		t.Errorf("INSUFFICIENT_PERMISSIONS: %+v", got)
	}
	if got, ok := client.Details[earshot.ResourceDetails](from("RESOURCE_NOT_FOUND", `{"id":"7"}`)); !ok || got.ID != "7" {
		t.Errorf("RESOURCE_NOT_FOUND: %+v", got)
	}
	if got, ok := client.Details[earshot.DuplicateDetails](from("RESOURCE_ALREADY_EXISTS", `{"taskId":"7"}`)); !ok || got.TaskID != "7" {
		t.Errorf("RESOURCE_ALREADY_EXISTS: %+v", got)
	}
	if got, ok := client.Details[earshot.ConflictDetails](from("RESOURCE_CONFLICT", `{"id":"7","status":"PROCESSING"}`)); !ok || got.Status != earshot.StatusProcessing {
		t.Errorf("RESOURCE_CONFLICT: %+v", got)
	}
	if got, ok := client.Details[earshot.QueueDetails](from("QUEUE_LIMIT_EXCEEDED", `{"remainingCapacity":3}`)); !ok || got.RemainingCapacity != 3 {
		t.Errorf("QUEUE_LIMIT_EXCEEDED: %+v", got)
	}
	if got, ok := client.Details[earshot.LimitDetails](from("CONCURRENT_LIMIT_EXCEEDED", `{"limit":3}`)); !ok || got.Limit != 3 {
		t.Errorf("CONCURRENT_LIMIT_EXCEEDED: %+v", got)
	}
	if got, ok := client.Details[earshot.UpstreamDetails](from("EXTERNAL_SERVICE_ERROR", `{"service":"websearch","reason":"blocked"}`)); !ok || got.Reason != earshot.ReasonBlocked {
		t.Errorf("EXTERNAL_SERVICE_ERROR: %+v", got)
	}
	for _, broken := range []string{"", `[]`, `{"limit":"three"}`} {
		if got, ok := client.Details[earshot.LimitDetails](from("CONCURRENT_LIMIT_EXCEEDED", broken)); ok || got.Limit != 0 {
			t.Errorf("details %q: %+v, %t", broken, got, ok)
		}
	}
}

func TestResponseOfAnotherServerHasNoCode(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{}`, `{"error":"no"}`, `{"error":{"message":"no"}}`, `[]`, `null`} {
		c, _ := answering(says(404, body))
		err := reading(t.Context(), c)
		var answer *client.Error
		if !errors.As(err, &answer) || answer.Code != "" || answer.Status != 404 || !strings.Contains(err.Error(), "the server at service.test is not Earshot") {
			t.Errorf("%q: %v", body, err)
		}
		if client.IsCode(err, "") || client.IsCode(nil, "") || earshot.ErrorCode(err) != earshot.CodeInternal {
			t.Errorf("%q has a code", body)
		}
	}
}
