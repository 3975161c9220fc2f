package api

// Raw is a JSON value that is passed on unchanged. [encoding/json.RawMessage] would bring its package into the module.
type Raw []byte

// UnmarshalJSON stores a value of any type.
func (r *Raw) UnmarshalJSON(text []byte) error {
	*r = append((*r)[:0], text...)
	return nil
}

// MarshalJSON returns the value unchanged, or null if it is empty.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}
