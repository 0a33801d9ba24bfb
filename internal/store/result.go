package store

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// maxResult is far larger than any result. It keeps a corrupt row from exhausting the node's
// memory.
const maxResult = 256 << 20

// EncodeAll and DecodeAll are safe for concurrent use.
var (
	packer   = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(0)))
	unpacker = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxResult), zstd.WithDecoderConcurrency(0)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options above are constants
	}
	return v
}

// Pack compresses a result; nil stays nil.
func Pack(result []byte) []byte {
	if result == nil {
		return nil
	}
	return packer.EncodeAll(result, make([]byte, 0, len(result)/3+64))
}

// Unpack decompresses the output of Pack.
func Unpack(packed []byte) ([]byte, error) {
	if packed == nil {
		return nil, nil
	}
	result, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack a result: %w", err)
	}
	return result, nil
}
