package proxy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

var errTooLarge = errors.New("the body is too large when it is decompressed")

// decoded decompresses a body. err is errTooLarge if the result has more than most bytes. ok is false if the body can't
// be decompressed, because the coding is unsupported, there are several codings, or the body is corrupt. A body without
// a coding is returned as it is.
func decoded(header http.Header, body []byte, most int64) (plain []byte, ok bool, err error) {
	var r io.Reader
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(header.Values("Content-Encoding"), ","))); coding {
	case "", "identity":
		return body, true, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, false, nil
		}
		r = z
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(most, 1<<20))))
		if err != nil {
			return nil, false, nil
		}
		defer z.Close()
		r = z
	default:
		return nil, false, nil
	}
	plain, err = io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case int64(len(plain)) > most || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, false, errTooLarge
	case err != nil:
		return nil, false, nil
	}
	return plain, true, nil
}
