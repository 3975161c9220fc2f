package host

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// Idle returns the number of idle instances of the module, and the bytes of their memory.
func (m *Engine) Idle() (instances int, memory uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, in := range m.idle {
		memory += in.module.Memory().Size()
	}
	return len(m.idle), memory
}

// Memory returns the memory of the idle instance.
func (m *Engine) Memory() api.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.idle[0].module.Memory()
}

// Occupy makes the Engine believe that a call is in progress, until release is called.
func (m *Engine) Occupy() (release func()) {
	m.slots <- struct{}{}
	return func() { <-m.slots }
}

// Break closes the module of an idle instance, so that the next call on it traps. It returns false if no instance is
// idle.
func (m *Engine) Break() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.idle) == 0 {
		return false
	}
	return m.idle[len(m.idle)-1].module.Close(context.Background()) == nil
}

// Aside removes the idle instances from the pool, so that the next call gets a new one, until back is called.
func (m *Engine) Aside() (back func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	away := m.idle
	m.idle = nil
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.idle = append(away, m.idle...)
	}
}
