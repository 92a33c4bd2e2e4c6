package adapters

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type progressKey struct{}

// A reporter is where the progress of a served call goes.
type reporter struct {
	session *mcp.ServerSession
	token   any
}

// ReportProgress tells the client that called a tool served by [AddTool] how
// far the call is. ctx is the one that the tool was called with, or is made from
// it. total is 0 if it is not known, and message may be empty. Progress has to
// grow from report to report (2025-11-25, basic/utilities/progress).
//
// It does nothing, and returns nil, if ctx belongs to no such call or if the
// client does not ask for progress. Given to a multiclient as callback it passes
// on what servers report about a served [*Tool]:
//
//	OnProgress: func(ctx context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
//		_ = adapters.ReportProgress(ctx, p.Progress, p.Total, p.Message)
//	},
func ReportProgress(ctx context.Context, progress, total float64, message string) error {
	r, _ := ctx.Value(progressKey{}).(reporter)
	if r.session == nil || r.token == nil {
		return nil
	}
	return r.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: r.token, Progress: progress, Total: total, Message: message,
	})
}
