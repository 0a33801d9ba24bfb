package store

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// maxResult is far above any result, and keeps a damaged row from taking the
// node's memory.
const maxResult = 256 << 20

// The coder and decoder are stateless as they are used here: safe for all.
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

// Unpack decompresses what Pack has compressed.
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
