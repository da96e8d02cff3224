package guard

import (
	"net/http"
	"sync"
)

// sessions remembers the version that each MCP session agreed on. It holds two generations: when
// the young one is full it becomes the old one, and the old one is forgotten. So memory is bounded,
// and a session that is in use stays.
type sessions struct {
	most int

	mu         sync.Mutex
	young, old map[string]string
}

// version of a session; "" for none, or one that is not known.
func (s *sessions) version(id string) string {
	if id == "" {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if version, found := s.young[id]; found {
		return version
	}
	version, found := s.old[id]
	if found {
		s.keep(id, version)
	}
	return version
}

func (s *sessions) begin(id, version string) {
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(id, version)
}

func (s *sessions) keep(id, version string) {
	if s.young == nil || len(s.young) >= (s.most+1)/2 {
		s.young, s.old = map[string]string{}, s.young
	}
	s.young[id] = version
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.young, id)
	delete(s.old, id)
}

// sessionWriter tells of the status and the session that the handler answers with.
type sessionWriter struct {
	http.ResponseWriter
	seen func(status int, session string)
	done bool
}

func (w *sessionWriter) WriteHeader(status int) {
	if !w.done && status >= 200 {
		w.done = true
		w.seen(status, w.Header().Get(sessionHeader))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *sessionWriter) Write(bytes []byte) (int, error) {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(bytes)
}

// Flush lets streams through as they are written.
func (w *sessionWriter) Flush() {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *sessionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
