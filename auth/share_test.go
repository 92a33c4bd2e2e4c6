package auth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// bare is a handler that is not safe for concurrent use, as some of the SDK's.
type bare struct {
	token     int
	authorize func()
	err       error
}

func (b *bare) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if b.token == 0 {
		return nil, nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: strconv.Itoa(b.token)}), nil
}

func (b *bare) Authorize(ctx context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	b.authorize()
	if b.err != nil {
		return b.err
	}
	b.token++
	return ctx.Err()
}

func refusalOf(status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("no"))}
}

func TestShareRemembersFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		n := 0
		h := auth.Share(&bare{authorize: func() { n++ }, err: refused})
		ask := func() {
			t.Helper()
			err := h.Authorize(t.Context(), &http.Request{Header: http.Header{}}, refusalOf(http.StatusUnauthorized))
			if !errors.Is(err, refused) {
				t.Errorf("error %v", err)
			}
		}
		ask()
		ask()
		wantCount(t, "authorizations", n, 1)
		time.Sleep(auth.DefaultRetryAfter)
		ask()
		wantCount(t, "authorizations later", n, 2)
	})
}

func TestSharePanics(t *testing.T) {
	h := auth.Share(&bare{authorize: func() { panic("at the disco") }})
	err := h.Authorize(t.Context(), &http.Request{Header: http.Header{}}, refusalOf(http.StatusUnauthorized))
	if err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("error %v", err)
	}
}

func TestShareLeavesOwnHandlersAlone(t *testing.T) {
	h := newUser(t, auth.UserOptions{RedirectURL: callback})
	if auth.Share(h) != sdkauth.OAuthHandler(h) {
		t.Error("a handler of this package is wrapped")
	}
	if auth.Share(nil) != nil {
		t.Error("no handler becomes one")
	}
	if text := fmt.Sprintf("%+v", auth.Share(&bare{})); text != "auth handler" {
		t.Errorf("it is shown as %s", text)
	}
}
