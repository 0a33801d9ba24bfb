package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// ErrKeyTaken is returned when another request of the operation has the same idempotency key.
var ErrKeyTaken = errors.New("another request has this idempotency key")

// KeyedRequest is a request with an idempotency key. Calls and tasks with a key are jobs instead.
type KeyedRequest struct {
	Organization string
	Operation    string
	Key          string
	Hash         []byte // of the path and the body
	Request      string // X-Request-Id
	Node         string // that serves the request; empty when it was served
	Answer       []byte // the sealed response; nil until it is known
	CreatedAt    time.Time
}

var (
	keyedRequestsTable = engine.NewTable("keyed_requests",
		engine.Field("organization", "uuid", func(k *KeyedRequest) *string { return &k.Organization }),
		engine.TextField("operation", func(k *KeyedRequest) *string { return &k.Operation }),
		engine.TextField("key", func(k *KeyedRequest) *string { return &k.Key }),
		engine.Field("hash", "bytea", func(k *KeyedRequest) *[]byte { return &k.Hash }),
		engine.Field("request", "uuid", func(k *KeyedRequest) *string { return &k.Request }),
		engine.NullField("node", "uuid", func(k *KeyedRequest) *string { return &k.Node }),
		engine.Field("answer", "bytea", func(k *KeyedRequest) *[]byte { return &k.Answer }),
		engine.TimeField("created_at", func(k *KeyedRequest) *time.Time { return &k.CreatedAt }))
	saveKeyedRequests = keyedRequestsTable.Insert(`ON CONFLICT (organization, operation, key) DO UPDATE SET node = excluded.node, answer = excluded.answer`)
)

const thisKeyedRequest = `WHERE organization = $1 AND operation = $2 AND key = $3`

// KeyedRequest returns the request that has the idempotency key of once, and whether a node may still be
// serving it. It returns ErrNotFound.
func (s *Store) KeyedRequest(ctx context.Context, once *account.Once) (found *KeyedRequest, served bool, err error) {
	found, err = engine.FirstRow(ctx, s.ShardOf(once.Organization).Lookups, keyedRequestsTable, thisKeyedRequest, once.Organization, once.Operation, once.Key)
	if err == nil && found.Node != "" {
		var nodes []string
		nodes, err = engine.FindValues[string](ctx, s.Lookups, `SELECT id FROM nodes WHERE id = $1`, found.Node)
		served = len(nodes) > 0
	}
	return found, served, engine.Wrap(err, "request with an idempotency key")
}

// CheckKey returns ErrKeyTaken if another request has the idempotency key. The organization must be
// locked. once may be nil.
func (w *Work) CheckKey(ctx context.Context, once *account.Once) error {
	if once == nil {
		return nil
	}
	taken, err := engine.FindValues[string](ctx, w, `SELECT request FROM keyed_requests `+thisKeyedRequest, once.Organization, once.Operation, once.Key)
	if err == nil && len(taken) > 0 && taken[0] != once.Request {
		err = ErrKeyTaken
	}
	return err
}

// KeepAnswer stores once.Answer, the response to a request with an idempotency key, in the transaction
// of its change. If the response is nil, because it is an error or not known yet, it only checks the key.
// KeepAnswer returns ErrKeyTaken if another request has the key. once may be nil.
func (w *Work) KeepAnswer(ctx context.Context, once *account.Once, now time.Time) error {
	if once == nil || once.Answer == nil {
		return w.CheckKey(ctx, once)
	}
	sealed, err := once.Seal(once.Answer)
	if err == nil {
		err = w.saveKeyed(ctx, once, "", sealed, now)
	}
	once.Stored = err == nil
	return err
}

func (w *Work) saveKeyed(ctx context.Context, once *account.Once, node string, answer []byte, now time.Time) error {
	if err := w.CheckKey(ctx, once); err != nil {
		return err
	}
	row := &KeyedRequest{once.Organization, once.Operation, once.Key, once.Hash, once.Request, node, answer, now}
	return engine.Each(ctx, w.Tx, saveKeyedRequests, []*KeyedRequest{row}, nil)
}

// ClaimKey notes that a node serves a request whose change and response are not stored in one
// transaction. It takes the place of lost, a claim of a node that is dead; nil for none. It returns
// ErrKeyTaken if another request has the key.
func (s *Store) ClaimKey(once *account.Once, lost *KeyedRequest, node string, now time.Time) error {
	err := s.Commit(Change{Organization: once.Organization, Apply: func(ctx context.Context, w *Work) error {
		if lost != nil {
			if err := w.freeKey(ctx, lost); err != nil {
				return err
			}
		}
		return w.saveKeyed(ctx, once, node, nil, now)
	}})
	return engine.Wrap(err, "claim an idempotency key")
}

// KeepAnswer stores the response to a request that has claimed its key or has changed nothing.
func (s *Store) KeepAnswer(once *account.Once, now time.Time) error {
	err := s.Commit(Change{Organization: once.Organization, Apply: func(ctx context.Context, w *Work) error {
		return w.KeepAnswer(ctx, once, now)
	}})
	return engine.Wrap(err, "store the response to a request with an idempotency key")
}

// FreeKey removes the claim of a request that has failed, so that it can be sent again with its key.
func (s *Store) FreeKey(once *account.Once) error {
	err := s.Commit(Change{Organization: once.Organization, Apply: func(ctx context.Context, w *Work) error {
		return w.freeKey(ctx, &KeyedRequest{Organization: once.Organization, Operation: once.Operation, Key: once.Key, Request: once.Request})
	}})
	return engine.Wrap(err, "free an idempotency key")
}

func (w *Work) freeKey(ctx context.Context, k *KeyedRequest) error {
	_, err := w.ExecContext(ctx, `DELETE FROM keyed_requests `+thisKeyedRequest+` AND request = $4 AND answer IS NULL`, k.Organization, k.Operation, k.Key, k.Request)
	return err
}

// IsRepeatedBy reports whether a request has the same path and body.
func (k *KeyedRequest) IsRepeatedBy(once *account.Once) bool { return bytes.Equal(k.Hash, once.Hash) }

// DeleteKeyedRequests deletes a batch of requests from before the given time. It returns their number.
func (s *Store) DeleteKeyedRequests(before time.Time) (int, error) {
	return s.sumOverShards(func(p *engine.Shard) (int, error) {
		n, err := p.Run(`DELETE FROM keyed_requests WHERE (organization, operation, key) IN (
			SELECT organization, operation, key FROM keyed_requests WHERE created_at < $1 LIMIT $2)`, engine.Millis(before), PruneBatch)
		return int(n), engine.Wrap(err, "delete requests with idempotency keys")
	})
}
