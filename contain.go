package ctxfold

import "fmt"

// contain calls a function of the program in the caller's goroutine. A panic becomes an error that is an [ErrPanic].
func contain(name string, call func() error) (err error) {
	returned := false
	defer func() {
		if p := recover(); p != nil || !returned && err == nil {
			err = fmt.Errorf("%w: %s: %v", ErrPanic, name, p)
		}
	}()
	err = call()
	returned = true
	return err
}

// tell calls a function that is only told something: what it panics with is logged.
func (c *Compactor) tell(name string, call func()) {
	err := contain(name, func() error {
		call()
		return nil
	})
	if err != nil {
		c.log.Warn("ctxfold: a callback failed", "callback", name, "error", err)
	}
}
