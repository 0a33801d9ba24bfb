package client_test

import (
	"slices"
	"testing"

	"earshot"
	"earshot/client"
)

func TestRequestsContinueAfterEmptyPages(t *testing.T) {
	t.Parallel()
	c, service := answering(
		says(200, `{"requests":[],"nextCursor":"c"}`),
		says(200, `{"requests":[{"id":"b","mode":"sync","status":"COMPLETED"}],"nextCursor":"b"}`),
		says(200, `{"requests":[],"nextCursor":null}`),
	)
	var ids []string
	query := earshot.RequestQuery{Mode: earshot.ModeSync, Text: "hats & caps", From: "2026-09-08", ErrorReason: earshot.ReasonBlocked}
	for record, err := range c.Requests(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, record.ID)
	}
	if !slices.Equal(ids, []string{"b"}) {
		t.Errorf("the list is %q", ids)
	}
	want := []string{
		"GET /v1/requests?errorReason=blocked&from=2026-09-08&mode=sync&q=hats+%26+caps",
		"GET /v1/requests?cursor=c&errorReason=blocked&from=2026-09-08&mode=sync&q=hats+%26+caps",
		"GET /v1/requests?cursor=b&errorReason=blocked&from=2026-09-08&mode=sync&q=hats+%26+caps",
	}
	if got := service.lines(); !slices.Equal(got, want) {
		t.Errorf("it sent %q", got)
	}
}

func TestRequestResult(t *testing.T) {
	t.Parallel()
	c, _ := answering(
		says(200, `{"id":"1","status":"COMPLETED","result":{"text":"x"}}`),
		says(200, `{"id":"1","status":"FAILED","error":{"code":"EXTERNAL_SERVICE_ERROR","message":"no","details":{"service":"websearch","reason":"blocked"}}}`),
		says(200, `{"id":"1","status":"PROCESSING"}`),
	)
	result := func() (*earshot.Answer, error) {
		record, err := c.Request(t.Context(), "1")
		if err != nil {
			t.Fatal(err)
		}
		return client.RequestResult[earshot.Answer](record)
	}
	if answer, err := result(); err != nil || answer.Text != "x" {
		t.Errorf("completed: %+v, %v", answer, err)
	}
	_, err := result()
	if details, ok := client.Details[earshot.UpstreamDetails](err); !ok || details.Reason != earshot.ReasonBlocked {
		t.Errorf("failed: %v", err)
	}
	if _, err := result(); err == nil {
		t.Error("a running call has a result")
	}
}
