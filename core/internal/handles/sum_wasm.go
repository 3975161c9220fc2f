package handles

// Handle returns the handle of a body.
func Handle(body []byte) string {
	h := New()
	h.Write(body)
	return h.Handle()
}
