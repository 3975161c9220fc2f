//go:build !wasip1

package api

import "encoding/json"

// Raw is a JSON value that is passed on unchanged.
type Raw = json.RawMessage
