package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"

	"earshot"
)

const batchesPath = "/v1/batches"

// Batches lists batches, newest first. It works like Tasks.
func (c *Client) Batches(ctx context.Context) iter.Seq2[*earshot.BatchRecord, error] {
	return items(func(cursor string) (earshot.List[earshot.BatchRecord], *string, error) {
		page, err := get[earshot.BatchPage](ctx, c, query(batchesPath, earshot.BatchQuery{Cursor: cursor}))
		if err != nil {
			return nil, nil, err
		}
		return page.Batches, page.NextCursor, nil
	})
}

// Batch returns how the tasks of a batch stand.
func (c *Client) Batch(ctx context.Context, id string) (*earshot.BatchRecord, error) {
	return get[earshot.BatchRecord](ctx, c, batchesPath+"/"+url.PathEscape(id))
}

// RetryBatch queues the failed tasks of a batch anew, each once, however often it is
// called.
func (c *Client) RetryBatch(ctx context.Context, id string) (*earshot.BatchRetried, error) {
	return exchange[earshot.BatchRetried](ctx, c, call{method: http.MethodPost, path: batchesPath + "/" + url.PathEscape(id) + "/retry", repeat: idempotent})
}

// RetryRequest queues a call or task anew that failed. Called again it returns the same
// task, until that has failed, too. For one that did not fail it fails with
// CodeConflict.
func (c *Client) RetryRequest(ctx context.Context, id string) (*earshot.RequestRetried, error) {
	return exchange[earshot.RequestRetried](ctx, c, call{method: http.MethodPost, path: requestsPath + "/" + url.PathEscape(id) + "/retry", repeat: idempotent})
}

// BatchResults reads the ended tasks of a batch in the order of the input, one by one.
// It ends with the first error.
func (c *Client) BatchResults(ctx context.Context, id string) iter.Seq2[*earshot.BatchResult, error] {
	return func(yield func(*earshot.BatchResult, error) bool) {
		resp, err := c.open(ctx, batchesPath+"/"+url.PathEscape(id)+"/results")
		if err != nil {
			yield(nil, err)
			return
		}
		defer resp.Body.Close()
		decoder := json.NewDecoder(resp.Body)
		for {
			result := new(earshot.BatchResult)
			err := decoder.Decode(result)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read the results: %w", err))
				return
			}
			if !yield(result, nil) {
				return
			}
		}
	}
}
