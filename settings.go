package earshot

// Key is an API key without its secret.
type Key struct {
	ID         string       `json:"id"`
	Scopes     List[string] `json:"scopes"` // read, monitor, tasks, admin
	CreatedAt  Timestamp    `json:"createdAt"`
	ExpiresAt  *Timestamp   `json:"expiresAt"`  // null for never
	LastUsedAt *Timestamp   `json:"lastUsedAt"` // to the minute
	RevokedAt  *Timestamp   `json:"revokedAt"`
	Current    bool         `json:"current"` // the key that asked
}

// KeyList is all the keys of an organization, newest first.
type KeyList struct {
	Keys List[*Key] `json:"keys"`
}

// NewKey is a key that was just made, with its secret, which is told this once.
type NewKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// LedgerEntry is one change of a balance.
type LedgerEntry struct {
	ID      string    `json:"id"` // of a charge, that of its task or of its call's request
	At      Timestamp `json:"at"`
	Kind    string    `json:"kind"`    // grant, charge, lapse, adjust
	Credits int64     `json:"credits"` // what was added to the balance; negative for what was taken
	TaskID  *string   `json:"taskId"`  // the task that was charged, while it is kept
	Note    *string   `json:"note"`    // the provider that was charged for, while the task or call is kept
}

// LedgerPage is a page of the ledger, newest first.
type LedgerPage struct {
	Entries    List[LedgerEntry] `json:"entries"`
	NextCursor *string           `json:"nextCursor"`
}

// RotatedSecret is a new webhook secret, which is told this once, and how long the
// one before stays valid.
type RotatedSecret struct {
	Secret             string    `json:"secret"`
	PreviousValidUntil Timestamp `json:"previousValidUntil"`
}

// WebhookTest is how a test of a webhook went.
type WebhookTest struct {
	Delivered bool    `json:"delivered"`
	Status    *int    `json:"status"` // what the receiver answered, if it did
	Error     *string `json:"error"`  // why there was no answer
	Ms        int64   `json:"ms"`
}
