// Package keyring keeps the tokens of package auth in the keyring of the
// system: the Keychain of macOS, the Credential Manager of Windows, the Secret
// Service of Linux desktops. It is a module of its own because of what it needs
// for that.
//
//	store := keyring.New("my-agent")
package keyring
