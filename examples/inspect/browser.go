package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// openBrowser opens a page in the browser that the variable BROWSER names, or
// else in that of the system. It does not wait for the browser to end.
func openBrowser(page string) error {
	// What programs make of other URLs is up to them.
	if !strings.HasPrefix(page, "https://") && !strings.HasPrefix(page, "http://") {
		return errors.New("it is no web page")
	}
	var cmd *exec.Cmd
	switch browser := strings.Fields(os.Getenv("BROWSER")); {
	case len(browser) > 0:
		cmd = exec.Command(browser[0], append(browser[1:], page)...)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", page)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", page)
	default:
		cmd = exec.Command("xdg-open", page)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // how it ends is for whoever looks at it
	return nil
}
