package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
)

// ErrSignature says that a webhook has no recent signature with any of the secrets: it
// may come from anybody, so do not act on it.
var ErrSignature = errors.New("the webhook is not signed as it should be")

// VerifyWebhook returns the task in a webhook, after checking that the webhook comes
// from the service: it must be signed with one of the secrets within the last five
// minutes. body must be exactly as it arrived. While a secret is being rotated, pass
// both the new and the previous one.
//
// The service sends a webhook again until it is acknowledged with a 2xx, so the
// same task may come more than once.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*earshot.TaskRecord, error) {
	if err := verify(header, body, secrets); err != nil {
		return nil, err
	}
	record := &earshot.TaskRecord{}
	if err := json.Unmarshal(body, record); err != nil {
		return nil, fmt.Errorf("decode the webhook: %w", err)
	}
	return record, nil
}

func verify(header http.Header, body []byte, secrets []string) error {
	err := errors.New("no secret was given")
	for _, secret := range secrets {
		key, unreadable := standardwebhooks.NewWebhook(secret)
		if unreadable != nil || strings.TrimPrefix(secret, "whsec_") == "" { // an empty one verifies what anybody can sign
			return errors.New("a webhook secret is not of the form whsec_…") // the cause could quote it
		}
		if err = key.Verify(body, header); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: %w", ErrSignature, err)
}
