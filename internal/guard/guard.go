// Package guard calls functions that the application provides, which may panic or hang.
package guard

import (
	"context"
	"errors"
	"fmt"
)

// Call calls a function of the application. A panic becomes an error, and a call that hangs is abandoned when ctx ends.
func Call(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the call did not return")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the call panicked: %v", p)
			}
			done <- err
		}()
		err = call()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
