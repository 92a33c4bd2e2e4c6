module github.com/langchaingo-mcp/mcpadapters/auth/keyring

go 1.26.0

replace github.com/langchaingo-mcp/mcpadapters => ../..

require (
	github.com/google/go-cmp v0.7.0
	github.com/langchaingo-mcp/mcpadapters v0.0.0-00010101000000-000000000000
	github.com/zalando/go-keyring v0.2.8
	golang.org/x/oauth2 v0.35.0
)

require (
	github.com/danieljoos/wincred v1.2.3 // indirect
	github.com/godbus/dbus/v5 v5.2.2 // indirect
	github.com/gofrs/flock v0.13.2 // indirect
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
