package roots

import (
	"errors"
	"net/url"
	"path"
	"strings"
)

// rootOf returns the root that a clean absolute path is (RFC 8089). Windows
// says whether the path is one of that system:
//
//	/home/me/a b       file:///home/me/a%20b
//	C:\Users\me        file:///C:/Users/me
//	\\host\share\dir   file://host/share/dir
//	\\?\C:\Users\me    file:///C:/Users/me
func rootOf(abs string, windows bool) (root, error) {
	if strings.ContainsRune(abs, 0) {
		return root{}, errors.New("a path cannot hold a zero byte")
	}
	u := url.URL{Scheme: "file", Path: abs}
	if windows {
		host, path, ok := windowsPath(strings.ReplaceAll(abs, `\`, "/"))
		if !ok {
			return root{}, errors.New("it is neither on a drive nor on a share")
		}
		u.Host, u.Path = host, path
	}
	return root{uri: u.String(), name: strings.ToValidUTF8(path.Base(u.Path), "\uFFFD")}, nil
}

// windowsPath returns the host, which drives do not have, and the path in a
// URI for a path of Windows whose separators are slashes already.
func windowsPath(abs string) (host, dir string, ok bool) {
	if long, found := strings.CutPrefix(abs, "//?/"); found {
		abs = long
		if kind, share, _ := strings.Cut(long, "/"); strings.EqualFold(kind, "UNC") {
			abs = "//" + share
		}
	}
	if share, found := strings.CutPrefix(abs, "//"); found {
		host, dir, _ = strings.Cut(strings.TrimSuffix(share, "/"), "/")
		// "//./pipe/x" and the like are devices.
		return host, "/" + dir, dir != "" && strings.Trim(host, ".?") != ""
	}
	onDrive := len(abs) > 2 && abs[1:3] == ":/" && strings.ContainsRune("abcdefghijklmnopqrstuvwxyz", rune(abs[0]|0x20))
	return "", "/" + abs, onDrive
}
