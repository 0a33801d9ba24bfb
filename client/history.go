package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"

	"earshot"
)

const requestsPath = "/v1/requests"

// Requests lists calls and tasks, newest first and without their results. It works
// like Tasks.
func (c *Client) Requests(ctx context.Context, q earshot.RequestQuery) iter.Seq2[*earshot.RequestRecord, error] {
	return items(func(cursor string) (earshot.List[earshot.RequestRecord], *string, error) {
		q.Cursor = cursor
		page, err := get[earshot.RequestPage](ctx, c, query(requestsPath, q))
		if err != nil {
			return nil, nil, err
		}
		return page.Requests, page.NextCursor, nil
	})
}

// Request reads a call, by the RequestID of its Usage, or a task, with its result.
// It costs nothing: an answer that was paid for and did not arrive is read here.
func (c *Client) Request(ctx context.Context, id string) (*earshot.RequestRecord, error) {
	return get[earshot.RequestRecord](ctx, c, requestsPath+"/"+url.PathEscape(id))
}

// RequestResult decodes the result of a call or task: an earshot.Answer,
// earshot.WebSearch or earshot.NewsSearch, by its provider. One that failed gives
// its *Error.
func RequestResult[T any](record *earshot.RequestRecord) (*T, error) {
	if record.Status == earshot.StatusFailed {
		reason := &Error{}
		if err := json.Unmarshal(record.Error, reason); err != nil {
			return nil, fmt.Errorf("decode the error of request %s: %w", record.ID, err)
		}
		return nil, reason
	}
	if record.Result == nil {
		return nil, fmt.Errorf("request %s is %s and has no result", record.ID, record.Status)
	}
	result := new(T)
	if err := json.Unmarshal(record.Result, result); err != nil {
		return nil, fmt.Errorf("decode the result of request %s: %w", record.ID, err)
	}
	return result, nil
}
