package httpwire

import "crypto/tls"

// Trust makes a transport of its own accept any certificate.
func (t *Transport) Trust() { t.own.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} }
