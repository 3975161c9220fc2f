package handles

// Handle is the handle of a body.
func Handle(body []byte) string {
	h := New()
	h.Write(body)
	return h.Handle()
}
