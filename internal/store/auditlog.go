package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// AuditTime is how long entries of the audit log are kept.
const AuditTime = 400 * 24 * time.Hour

// maxAuditedField limits the JSON of a field in Audited.Before and After.
const maxAuditedField = 2000

// Audited describes a change for the audit log. Before and After are marshalled to JSON, and of
// objects only the fields that differ are kept. They must not contain secrets.
type Audited struct {
	Action        string // such as "key.create"
	Subject       string // id or name of what was changed
	Before, After any
}

// AuditEntry is a row of the audit log.
type AuditEntry struct {
	Organization  string
	ID            string
	At            time.Time
	By            account.Actor
	Action        string
	Subject       string
	Before, After []byte // JSON, or nil
}

var (
	// AuditTable describes the audit log.
	AuditTable = engine.NewTable("audit_log",
		engine.Field("organization", "uuid", func(e *AuditEntry) *string { return &e.Organization }),
		engine.Field("id", "uuid", func(e *AuditEntry) *string { return &e.ID }),
		engine.TimeField("at", func(e *AuditEntry) *time.Time { return &e.At }),
		engine.TextField("actor_kind", func(e *AuditEntry) *account.ActorKind { return &e.By.Kind }),
		engine.TextField("actor", func(e *AuditEntry) *string { return &e.By.ID }),
		engine.TextField("actor_name", func(e *AuditEntry) *string { return &e.By.Name }),
		engine.TextField("action", func(e *AuditEntry) *string { return &e.Action }),
		engine.TextField("subject", func(e *AuditEntry) *string { return &e.Subject }),
		engine.TextField("address", func(e *AuditEntry) *string { return &e.By.Address }),
		engine.TextField("request", func(e *AuditEntry) *string { return &e.By.Request }),
		engine.BytesAsText("before", func(e *AuditEntry) *[]byte { return &e.Before }),
		engine.BytesAsText("after", func(e *AuditEntry) *[]byte { return &e.After }))
	insertAudit = AuditTable.Insert("")
)

// Audit adds an entry to the audit log of an organization, in the transaction of the change.
func (w *Work) Audit(organization string, by account.Actor, what Audited, now time.Time) error {
	before, after, err := changedFields(what.Before, what.After)
	if err != nil {
		return fmt.Errorf("audit %s: %w", what.Action, err)
	}
	if by.Kind == account.ActorUser && by.ID != "" {
		by.Name = "" // readers look up the email, which the log must not keep longer than the user exists
	}
	w.audited = append(w.audited, &AuditEntry{
		Organization: organization, ID: NewID(), At: now, By: by, Action: what.Action, Subject: what.Subject, Before: before, After: after,
	})
	return nil
}

// AuditAlone adds an entry without a change to the audit log, such as a refused sign-in. The
// organization may be "" if none is known.
func (s *Store) AuditAlone(organization string, by account.Actor, what Audited, now time.Time) error {
	organization = cmp.Or(organization, uuid.Nil.String())
	return s.ShardOf(organization).Write(engine.Write{Apply: InWork(func(_ context.Context, w *Work) error {
		return w.Audit(organization, by, what, now)
	})})
}

// refusal describes refused sign-ins in the audit log.
type refusal struct {
	Reason string `json:"reason"`
	Count  int    `json:"count,omitempty"` // 0 means 1
}

// AuditRefused adds a refused sign-in to the audit log. Refused sign-ins with the same account,
// address and reason within a minute are one entry, which counts them. The organization may be "" if none is
// known. If there is no entry yet, isNew decides whether to add one.
func (s *Store) AuditRefused(organization string, by account.Actor, reason string, isNew func() bool, now time.Time) error {
	const action = "session.refused"
	organization = cmp.Or(organization, uuid.Nil.String())
	return s.Commit(Change{Organization: organization, Apply: func(ctx context.Context, w *Work) error {
		recent, err := engine.FindRows(ctx, w, AuditTable, `WHERE organization = $1 AND id >= $2 AND action = $3 AND subject = $4 AND address = $5`,
			organization, FirstID(time.Now().Add(-time.Minute)), action, by.Name, by.Address)
		if err != nil {
			return err
		}
		for _, e := range recent {
			had := refusal{}
			if err := json.Unmarshal(e.After, &had); err != nil || had.Reason != reason {
				continue
			}
			had.Count = max(1, had.Count) + 1
			after, err := json.Marshal(had)
			if err != nil {
				return err
			}
			return engine.ExpectChange(w.Run(ctx, `UPDATE audit_log SET after = $3 WHERE organization = $1 AND id = $2 AND after = $4`,
				organization, e.ID, string(after), string(e.After)))
		}
		if !isNew() {
			return nil
		}
		if err := w.Audit(organization, by, Audited{Action: action, Subject: by.Name, After: refusal{Reason: reason}}, now); err != nil {
			return err
		}
		added := w.audited[len(w.audited)-1:]
		w.audited = w.audited[:len(w.audited)-1]
		return engine.Each(ctx, w.Tx, insertAudit, added, nil) // now, so that the next write of the transaction finds it
	}})
}

// changedFields marshals two values. If both are objects, it keeps the fields that differ.
func changedFields(before, after any) (was, is []byte, err error) {
	was, wasFields, err := auditedJSON(before)
	if err != nil {
		return nil, nil, err
	}
	is, isFields, err := auditedJSON(after)
	if err != nil || wasFields == nil && isFields == nil {
		return was, is, err
	}
	for name, value := range wasFields {
		if bytes.Equal(value, isFields[name]) {
			delete(wasFields, name)
			delete(isFields, name)
		}
	}
	if wasFields != nil {
		was, err = shortJSON(wasFields)
	}
	if err == nil && isFields != nil {
		is, err = shortJSON(isFields)
	}
	return was, is, err
}

// auditedJSON marshals a value and returns the fields of an object. It returns nil for nil.
func auditedJSON(value any) (text []byte, fields map[string]json.RawMessage, err error) {
	if value == nil {
		return nil, nil, nil
	}
	if text, err = json.Marshal(value); err != nil {
		return nil, nil, err
	}
	_ = json.Unmarshal(text, &fields) // fails for other values than objects
	return text, fields, nil
}

// shortJSON marshals fields. Long values are replaced by their length.
func shortJSON(fields map[string]json.RawMessage) ([]byte, error) {
	for name, value := range fields {
		if len(value) > maxAuditedField {
			fields[name] = fmt.Appendf(nil, `"(%d bytes)"`, len(value))
		}
	}
	return json.Marshal(fields)
}

// DeleteAudit deletes a batch of entries of the audit log from before the given time. It returns
// their number.
func (s *Store) DeleteAudit(before time.Time) (int, error) {
	return s.sumOverShards(func(p *engine.Shard) (int, error) {
		n, err := p.Run(`DELETE FROM audit_log WHERE (organization, id) IN (SELECT organization, id FROM audit_log WHERE at < $1 LIMIT $2)`,
			engine.Millis(before), PruneBatch)
		return int(n), engine.Wrap(err, "delete entries of the audit log")
	})
}
