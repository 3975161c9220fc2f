package api

// Raw is a JSON value that is carried along as it is, as [encoding/json.RawMessage], which would bring its package into the module.
type Raw []byte

// UnmarshalJSON keeps a value of any kind.
func (r *Raw) UnmarshalJSON(text []byte) error {
	*r = append((*r)[:0], text...)
	return nil
}

// MarshalJSON gives the value as it came, and null where there is none.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}
