package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"earshot"
)

// BatchResults returns an iterator over the finished tasks of a batch, in the order of the
// submission. It stops at the first error.
func (c *Client) BatchResults(ctx context.Context, id string) iter.Seq2[*earshot.BatchResult, error] {
	return func(yield func(*earshot.BatchResult, error) bool) {
		resp, err := c.open(ctx, pathOf("/v1/batches/{id}/results", id))
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
