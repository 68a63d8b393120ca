// Trust fails if the system that it runs on does not trust the certificate of a public
// server. .ci/install runs it in the image of a release, without a network: the certificate
// is one of www.google.com, at a time when it was valid.
package main

import (
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"fmt"
	"os"
	"time"
)

//go:embed chain.pem
var chain []byte

func main() {
	if err := verify(); err != nil {
		fmt.Fprintf(os.Stderr, "trust: %v\n", err)
		os.Exit(1)
	}
}

func verify() error {
	var certs []*x509.Certificate
	for block, rest := pem.Decode(chain); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err
		}
		certs = append(certs, cert)
	}
	options := x509.VerifyOptions{
		DNSName:       "www.google.com",
		CurrentTime:   certs[0].NotBefore.Add(24 * time.Hour),
		Intermediates: x509.NewCertPool(),
	}
	options.Intermediates.AddCert(certs[1])
	_, err := certs[0].Verify(options) // Without Roots, they are those of the system.
	return err
}
