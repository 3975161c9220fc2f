//go:build !wasip1

package api

import "encoding/json"

// Raw is a JSON value that is carried along as it is.
type Raw = json.RawMessage
