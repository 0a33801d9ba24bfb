package engine

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// pipeline is a transaction's way to PostgreSQL past database/sql: prepared statements
// over arrays in the server's binary format, several of them on one round trip, BEGIN
// and COMMIT among them. To convert values one by one and to wait for each statement
// would cost more than what the statements do.
type pipeline struct {
	conn  *pgx.Conn
	begin []string // what the transaction begins with, until it has begun
	batch pgconn.Batch
	scans []func(Scanner) error // of the statements in batch, for the rows that they return; nil for none
	// buffer is where parameters are written, and parameters where each of them ended.
	buffer     []byte
	parameters [][]byte
}

// pipelines are used again, for what they have allocated.
var pipelines sync.Pool

// newPipeline is for a connection that its transaction has to itself. It is to be freed.
func newPipeline(conn *sql.Conn, begin []string) (*pipeline, error) {
	p, ok := pipelines.Get().(*pipeline)
	if !ok { // there is none to be used again
		p = &pipeline{}
	}
	err := conn.Raw(func(connection any) error {
		c, ok := connection.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", connection)
		}
		p.conn, p.begin = c.Conn(), begin
		return nil
	})
	return p, err
}

// free lets another transaction have the pipeline.
func (p *pipeline) free() {
	clear(p.scans)
	*p = pipeline{scans: p.scans[:0], buffer: p.buffer[:0], parameters: p.parameters[:0]}
	pipelines.Put(p)
}

// binaryFormat is that of all parameters and results.
var binaryFormat = []int16{pgtype.BinaryFormatCode}

// Start begins the transaction, if it has not begun.
func (p *pipeline) Start(ctx context.Context) error {
	for _, statement := range p.begin {
		if err := p.append(ctx, statement, nil, nil); err != nil {
			return err
		}
	}
	p.begin = nil
	return nil
}

// add appends a statement, with the parameters that were written last.
func (p *pipeline) add(ctx context.Context, text string, scan func(Scanner) error) error {
	err := p.Start(ctx)
	if err == nil {
		err = p.append(ctx, text, p.parameters, scan)
	}
	p.buffer, p.parameters = p.buffer[:0], p.parameters[:0]
	return err
}

func (p *pipeline) append(ctx context.Context, text string, parameters [][]byte, scan func(Scanner) error) error {
	prepared, err := p.conn.Prepare(ctx, text, text) // once a connection
	if err != nil {
		return err
	}
	p.batch.ExecStatement(prepared, parameters, binaryFormat, binaryFormat)
	p.scans = append(p.scans, scan)
	return nil
}

// reads tells whether any of the statements that wait returns rows.
func (p *pipeline) reads() bool {
	return slices.ContainsFunc(p.scans, func(scan func(Scanner) error) bool { return scan != nil })
}

// send sends the statements that wait and hands what they return to their scans. It
// returns how many of them were executed: all, unless there is an error.
func (p *pipeline) send(ctx context.Context) (executed int, err error) {
	if len(p.scans) == 0 {
		return 0, nil
	}
	results := p.conn.PgConn().ExecBatch(ctx, &p.batch)
	var failed error // to scan; what follows is read all the same
	for results.NextResult() {
		found, scan := results.ResultReader(), p.scans[executed]
		row := rawRow{types: p.conn.TypeMap(), fields: found.FieldDescriptions()}
		for found.NextRow() {
			if scan != nil && failed == nil {
				row.values = found.Values()
				failed = scan(&row)
			}
		}
		if _, err := found.Close(); err != nil {
			break
		}
		executed++
	}
	p.batch, p.scans = pgconn.Batch{}, p.scans[:0]
	return executed, errors.Join(results.Close(), failed)
}

// commit sends the statements that wait, and COMMIT with them.
func (p *pipeline) commit(ctx context.Context) error {
	if err := p.add(ctx, "COMMIT", nil); err != nil {
		return err
	}
	before := len(p.scans) - 1 // statements before the commit
	executed, err := p.send(ctx)
	if err == nil {
		return nil
	}
	// An error that the server tells is a no. It, or a pooler before it, may also tell that
	// it has lost a connection, or of COMMIT that it is going down: that is no answer. Nor is
	// what Citus tells of COMMIT when it has lost a worker.
	code := postgresCode(err)
	if code == "" || strings.HasPrefix(code, "08") || executed == before && (strings.HasPrefix(code, "57") || code == internalError) {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return fmt.Errorf("commit: %w", err)
}

// rollback ends the transaction. Without a connection it has ended already.
func (p *pipeline) rollback(ctx context.Context) {
	if p.conn.PgConn().TxStatus() != 'I' && !p.conn.IsClosed() {
		if _, err := p.conn.Exec(ctx, "ROLLBACK"); err != nil {
			_ = p.conn.Close(ctx) // the pool must not hand it out
		}
	}
}

// elements are the types of PostgreSQL that parameters are arrays of.
var elements = map[string]uint32{"uuid": pgtype.UUIDOID, "text": pgtype.TextOID, "bigint": pgtype.Int8OID, "boolean": pgtype.BoolOID, "bytea": pgtype.ByteaOID}

// addArray writes a column of rows as one parameter.
func addArray[T any](p *pipeline, c Column[T], rows []*T) {
	p.buffer = slices.Grow(p.buffer, (len(rows)+1)*20) // an id, which most are
	start := len(p.buffer)
	for _, word := range [...]uint32{1 /* dimension */, 1 /* there may be NULL */, elements[c.kind], uint32(len(rows)), 1 /* the first index */} {
		p.buffer = binary.BigEndian.AppendUint32(p.buffer, word)
	}
	for _, row := range rows {
		p.buffer = c.put(p.buffer, row)
	}
	// Should the buffer move, what was written before stays readable where it was.
	p.parameters = append(p.parameters, p.buffer[start:len(p.buffer):len(p.buffer)])
}

// An element of an array is its length and its value.

func putNull(to []byte) []byte { return binary.BigEndian.AppendUint32(to, ^uint32(0)) }

func putText[S ~string | ~[]byte](to []byte, s S) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(s))), s...)
}

func putBytes(to, b []byte) []byte {
	if b == nil {
		return putNull(to)
	}
	return putText(to, b)
}

func putPointer[V any](to []byte, v *V, put func([]byte, V) []byte) []byte {
	if v == nil {
		return putNull(to)
	}
	return put(to, *v)
}

func putInt(to []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(to, 8), uint64(n))
}

func putBool(to []byte, b bool) []byte {
	if b {
		return append(to, 0, 0, 0, 1, 1)
	}
	return append(to, 0, 0, 0, 1, 0)
}

// putUUID writes an id. What is none matches nothing.
func putUUID(to []byte, id string) []byte {
	written := binary.BigEndian.AppendUint32(to, 16)
	for i := 0; i+1 < len(id); i += 2 {
		if id[i] == '-' {
			i++
		}
		high, low := unhex(id[i]), unhex(id[min(i+1, len(id)-1)])
		if high|low > 15 {
			return putNull(to)
		}
		written = append(written, high<<4|low)
	}
	if len(id) != 36 || len(written) != len(to)+20 {
		return putNull(to)
	}
	return written
}

// unhex is the value of a digit, more than 15 if it is none.
func unhex(digit byte) byte {
	switch {
	case '0' <= digit && digit <= '9':
		return digit - '0'
	case 'a' <= digit && digit <= 'f':
		return digit - 'a' + 10
	case 'A' <= digit && digit <= 'F':
		return digit - 'A' + 10
	}
	return 255
}

// rawRow is a row that PostgreSQL returned.
type rawRow struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	values [][]byte // valid until the next row
}

// rawTarget is a target of a scan that reads PostgreSQL's binary format itself; a nil
// value is NULL.
type rawTarget interface {
	scanRaw(kind uint32, value []byte) error
}

// Scan implements scanner.
func (r *rawRow) Scan(into ...any) (err error) {
	for i, target := range into {
		kind, value := r.fields[i].DataTypeOID, r.values[i]
		switch target := target.(type) {
		case rawTarget:
			err = target.scanRaw(kind, value)
		case *[]byte:
			*target = bytes.Clone(value)
		case *string:
			if value == nil {
				return errors.New("the text is NULL")
			}
			*target = rawText(kind, value, *target)
		case **string:
			*target = nil
			if value != nil {
				*target = new(rawText(kind, value, ""))
			}
		case *int64:
			*target, err = rawInt(value)
		case *int:
			var n int64
			n, err = rawInt(value)
			*target = int(n)
		default:
			err = r.types.Scan(kind, pgtype.BinaryFormatCode, value, target)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.fields[i].Name, err)
		}
	}
	return nil
}

// rawText is a text, or an id as Go has it; last if it is the same.
func rawText(kind uint32, value []byte, last string) string {
	var id [36]byte
	if kind == pgtype.UUIDOID {
		value = appendUUID(id[:0], value)
	}
	if string(value) == last {
		return last
	}
	return string(value)
}

// appendUUID writes the 16 bytes of an id as Go has it.
func appendUUID(to, id []byte) []byte {
	for i, group := range [...][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:16]} {
		if i > 0 {
			to = append(to, '-')
		}
		to = hex.AppendEncode(to, group)
	}
	return to
}

// rawInt is a number of any size.
func rawInt(value []byte) (int64, error) {
	switch len(value) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(value))), nil
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value))), nil
	case 8:
		return int64(binary.BigEndian.Uint64(value)), nil
	}
	return 0, fmt.Errorf("%d bytes are no number", len(value))
}
