package negotiator

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is what every call gives after Close.
var ErrClosed = errors.New("negotiator: closed")

// pool keeps instances: each is used by one goroutine at a time, made when it is first needed, and
// thrown away after a trap. At most cap(slots) are in use; who comes later waits.
type pool struct {
	slots  chan struct{}
	create func(context.Context) (*instance, error)

	mu     sync.Mutex
	idle   []*instance
	closed bool
}

func newPool(size int, create func(context.Context) (*instance, error)) *pool {
	return &pool{slots: make(chan struct{}, size), create: create}
}

// with runs use with an instance that nobody else has.
func (p *pool) with(ctx context.Context, use func(*instance) error) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.slots }()

	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	var i *instance
	if n := len(p.idle); n > 0 {
		i, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if i == nil {
		var err error
		if i, err = p.create(ctx); err != nil {
			return err
		}
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i.broken || p.closed {
			i.close(context.WithoutCancel(ctx))
			return
		}
		p.idle = append(p.idle, i)
	}()
	return use(i)
}

// close closes the idle instances; those in use are closed when they come back.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, i := range p.idle {
		i.close(ctx)
	}
	p.idle = nil
}
