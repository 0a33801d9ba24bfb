package account

// Once is the Idempotency-Key of a request. The change and the response are stored in one transaction,
// so that the same request does not change anything a second time.
type Once struct {
	Organization string // whose shard keeps the key and the response
	Operation    string // method and path pattern
	Key          string
	Hash         []byte // of the path and the body
	Request      string // X-Request-Id
	// Seal encodes a response for the database.
	Seal func(answer any) ([]byte, error)
	// Stored is set when a transaction has stored the response.
	Stored bool
	// Answer is the response, if it is known before the change. It is stored with the change.
	Answer any
}

// Answers sets Answer. o may be nil.
func (o *Once) Answers(answer any) {
	if o != nil {
		o.Answer = answer
	}
}
