package main

import (
	"context"
	"fmt"
	"net/http"
)

type principalKey struct{}

// headerPrincipal says over HTTP who a client is.
const headerPrincipal = "Soak-Principal"

// principalName is who a client is, by its number.
func principalName(kind string, number int) string { return fmt.Sprintf("%s-%d", kind, number) }

func withPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

func principalOf(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}

// isEven reports whether a principal's number is even.
func isEven(principal string) bool {
	return principal != "" && (principal[len(principal)-1]-'0')%2 == 0
}

// authenticate believes the header.
func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(withPrincipal(r.Context(), r.Header.Get(headerPrincipal))))
	})
}
