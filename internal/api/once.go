package api

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// keyTries limits how often a request is served again after another request with its key has ended.
const keyTries = 5

// Keyed reports whether requests of the operation take effect once for each Idempotency-Key. Calls
// have keys of their own: see package job.
func (o *Operation) Keyed() bool {
	return o.Method == http.MethodPost && o.Unkeyed == "" && o.Unaudited != changesNothing
}

// perform calls the handler of the operation. If another request had the same idempotency key,
// perform sends the response to that request instead.
func (s *Server) perform(c *call) error {
	if !c.route.Keyed() || c.r.Header.Get(earshot.IdempotencyKeyHeader) == "" {
		return c.route.serve(s, c)
	}
	once, err := s.once(c)
	if err != nil {
		return err
	}
	for range keyTries {
		earlier, served, err := s.Store.KeyedRequest(c.context(), once)
		switch {
		case errors.Is(err, store.ErrNotFound):
			earlier = nil
		case err != nil:
			return err
		case !earlier.IsRepeatedBy(once):
			return errKeyUsed(once, earlier, "another request was made with this Idempotency-Key")
		case earlier.Answer != nil:
			return s.replay(c, once, earlier)
		case served:
			return errBeingServed(earlier.Request)
		}
		if err := s.performOnce(c, once, earlier); !errors.Is(err, store.ErrKeyTaken) {
			return err
		}
	}
	return errPastShare("other requests with this Idempotency-Key fail at the same time, try again")
}

// once returns the idempotency key of the request.
func (s *Server) once(c *call) (*account.Once, error) {
	header, err := schema.Parse([]byte("{}"))
	if err != nil {
		return nil, err
	}
	key := c.idempotencyKey(header)
	if err := header.Err(); err != nil {
		return nil, err
	}
	organization, err := s.keyedIn(c)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	_, _ = hash.Write([]byte(c.r.URL.RequestURI() + "\n")) // never fails
	_, _ = hash.Write(canonical(c.received))
	once := &account.Once{Organization: organization, Operation: c.route.Method + " " + c.route.Path, Key: *key, Hash: hash.Sum(nil), Request: c.id}
	once.Seal = func(answer any) ([]byte, error) {
		text, err := json.Marshal(answer)
		if err != nil {
			return nil, fmt.Errorf("encode the response: %w", err)
		}
		aead, err := c.sealing(once)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, aead.NonceSize())
		_, _ = rand.Read(nonce) // never fails
		return aead.Seal(nonce, nonce, store.Pack(text), nil), nil
	}
	return once, nil
}

// keyedIn returns the organization whose shard keeps the idempotency key of the request, because the
// change is in its transaction. Operators change the organization in the path; their other changes are
// kept with the oldest organization.
func (s *Server) keyedIn(c *call) (string, error) {
	if c.route.Scope != account.ScopeOperator {
		return c.organization(), nil
	}
	if c.route.Finds == "organization" && uuid.Validate(c.subject()) == nil {
		return c.subject(), nil
	}
	oldest, err := s.Orgs.Oldest(c.context())
	if err != nil {
		return "", err
	}
	return oldest.ID, nil
}

// canonical returns JSON without white space and with sorted fields.
func canonical(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body // the handler refuses it
	}
	text, err := json.Marshal(value)
	if err != nil {
		return body
	}
	return text
}

// sealing returns the cipher for stored responses, which may contain secrets. Its key is derived
// from the API key or session of the request, which the database does not have.
func (c *call) sealing(once *account.Once) (cipher.AEAD, error) {
	if c.credential == "" {
		return nil, errors.New("the request has no credential to encrypt its response with")
	}
	key, err := hkdf.Key(sha256.New, []byte(c.credential), []byte(once.Organization), "response to "+once.Operation+" "+once.Key, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a response: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encrypt a response: %w", err)
	}
	return cipher.NewGCM(block)
}

// replay sends the stored response to an earlier request with the same key, path and body.
func (s *Server) replay(c *call, once *account.Once, earlier *store.KeyedRequest) error {
	aead, err := c.sealing(once)
	if err != nil {
		return err
	}
	size := aead.NonceSize()
	if len(earlier.Answer) < size {
		return fmt.Errorf("the response to request %s is incomplete", earlier.Request)
	}
	packed, err := aead.Open(nil, earlier.Answer[:size], earlier.Answer[size:], nil)
	if err != nil {
		return errKeyUsed(once, earlier, "this Idempotency-Key was used with another API key or session, and only that one can read the response again")
	}
	text, err := store.Unpack(packed)
	if err != nil {
		return err
	}
	c.w.Header().Set(earshot.ReplayedHeader, "true")
	return c.json(json.RawMessage(text))
}

// performOnce calls the handler. If the operation claims its keys, the claim takes the place of lost.
func (s *Server) performOnce(c *call, once *account.Once, lost *store.KeyedRequest) error {
	principal := *c.principal
	principal.Once, once.Stored = once, false
	c.principal = &principal
	if c.route.Claims {
		if err := s.Store.ClaimKey(once, lost, s.Jobs.NodeID(), s.Store.Now()); err != nil {
			return err
		}
		defer func() { // also after a panic
			if once.Stored {
				return
			}
			if err := s.Store.FreeKey(once); err != nil {
				s.Log.Error("an idempotency key was not freed", "request", c.id, "error", err)
			}
		}()
	}
	return c.route.serve(s, c)
}

// keepAnswer stores the response to a request with an idempotency key, unless it was stored with the
// change. It returns store.ErrKeyTaken if another request has the key: then this one has changed
// nothing. After another error the change is done, so the client gets the response.
func (s *Server) keepAnswer(c *call, response any) error {
	if c.principal == nil || c.principal.Once == nil || c.principal.Once.Stored {
		return nil
	}
	c.principal.Once.Answers(response)
	err := s.Store.KeepAnswer(c.principal.Once, s.Store.Now())
	if err != nil && !errors.Is(err, store.ErrKeyTaken) {
		s.Log.Error("a response was not stored under its idempotency key", "request", c.id, "error", err)
		err = nil
	}
	return err
}

func errKeyUsed(once *account.Once, earlier *store.KeyedRequest, message string) error {
	return &earshot.Error{
		Code: earshot.CodeAlreadyExists, Message: message,
		Details: earshot.DuplicateDetails{Field: earshot.IdempotencyKeyHeader, Value: once.Key, RequestID: earlier.Request},
	}
}

func errBeingServed(request string) error {
	return &earshot.Error{
		Code: earshot.CodeConflict, Message: "a request with this Idempotency-Key is still being served; repeat yours later",
		Details: earshot.ConflictDetails{ID: request, RequestID: request},
	}
}
