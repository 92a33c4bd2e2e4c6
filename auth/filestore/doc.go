// Package filestore keeps the tokens of package auth in a file that only its
// owner can read:
//
//	dir, err := os.UserConfigDir()
//	...
//	store := filestore.New(filepath.Join(dir, "my-agent", "tokens.json"))
//
// The tokens are not encrypted. The module auth/keyring keeps them in the
// keyring of the system instead, where there is one.
package filestore
