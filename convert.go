package prompts

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// convert is read without the rules that need the value as JSON. JSON fills
// dst only when those have passed.
func (v *value) convert(dst reflect.Value, text string, want bool) (instance any, p *problem) {
	switch v.kind {
	case kindString:
		if dst.IsValid() {
			dst.SetString(text)
		}
	case kindText, kindDuration, kindURL, kindBytes:
		if p := v.convertText(dst, text); p != nil {
			return nil, p
		}
	case kindBool:
		if text != "true" && text != "false" {
			return nil, v.wrongType(text)
		}
		if dst.IsValid() {
			dst.SetBool(text == "true")
		}
		return text == "true", nil
	case kindInt, kindUint, kindFloat:
		return v.convertNumber(dst, text, want)
	case kindList:
		return v.convertList(dst, text, want)
	case kindJSON:
		return v.parseJSON(text, want)
	default:
		panic("prompts: a value was not compiled")
	}
	if want {
		instance = text
	}
	return instance, v.rules.checkText(text)
}

// convertText reads the kinds that have a text form of their own, which is
// also what their schemas judge.
func (v *value) convertText(dst reflect.Value, text string) *problem {
	if !dst.IsValid() {
		return nil
	}
	switch v.kind {
	case kindText:
		u := dst.Addr().Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return v.unread(err, text)
		}
		if text == "" && v.isAddress {
			return v.wrongType(text)
		}
	case kindDuration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return v.wrongType(text)
		}
		dst.SetInt(int64(d))
	case kindURL:
		u, err := url.Parse(text)
		if err != nil || text == "" {
			return v.wrongType(text)
		}
		dst.Set(reflect.ValueOf(*u))
	case kindBytes:
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			return v.wrongType(text)
		}
		dst.SetBytes(b)
	}
	return nil
}

// unread is the problem of a text that the author's own method does not read:
// what that says by InvalidArgument; its other errors may show internals.
func (v *value) unread(err error, text string) *problem {
	var reasons []string
	for _, p := range blamed(err, nil) {
		reasons = append(reasons, p.Message)
	}
	if reasons == nil {
		return v.wrongType(text)
	}
	return &problem{Reason: reasonRefused, Message: strings.Join(reasons, "; ")}
}

func (v *value) convertNumber(dst reflect.Value, text string, want bool) (any, *problem) {
	var n number
	var narrow float64 // a float as its Go type holds it
	var err error
	switch v.kind {
	case kindInt:
		n.int, err = strconv.ParseInt(text, 10, v.bits)
		n.float = float64(n.int)
	case kindUint:
		n.uint, err = strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, v.bits) // as ParseInt takes it
		n.float = float64(n.uint)
	default:
		n.float, err = parseFloat(text, v.bits)
		narrow = n.float
		if v.bits == 32 && err == nil {
			// A float32 is judged by its text: 0.1 is not more than 0.1.
			n.float, err = parseFloat(text, 64)
		}
		if v.isLiteral && !json.Valid([]byte(text)) {
			return nil, v.wrongType(text)
		}
	}
	n.kind = v.kind
	if errors.Is(err, strconv.ErrRange) || v.kind == kindUint && err != nil && isNegative(text) {
		return nil, v.outOfRange(text)
	}
	if err != nil {
		return nil, v.wrongType(text)
	}
	if p := v.rules.checkNumber(n, text); p != nil {
		return nil, p
	}
	if dst.IsValid() {
		switch {
		case v.kind == kindInt:
			dst.SetInt(n.int)
		case v.kind == kindUint:
			dst.SetUint(n.uint)
		case v.isLiteral:
			dst.SetString(text)
		default:
			dst.SetFloat(narrow)
		}
	}
	if !want {
		return nil, nil
	}
	return n.instance(), nil
}

// parseFloat parses a decimal number. What only Go writes so (hexadecimal, 1_0,
// infinities, NaN) is none.
func parseFloat(text string, bits int) (float64, error) {
	f, err := strconv.ParseFloat(text, bits)
	if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) || strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return f, err
}

func isNegative(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return strings.HasPrefix(text, "-") && (err == nil || errors.Is(err, strconv.ErrRange))
}

func (v *value) parseJSON(text string, want bool) (instance any, p *problem) {
	var doc strictjson.Doc
	if doc.Parse(text, maxDepth) != nil {
		return nil, v.wrongType(text)
	}
	if want && json.Unmarshal([]byte(text), &instance) != nil {
		// It is JSON, so that is all that can be wrong with it.
		return nil, &problem{Reason: reasonRange, Message: quote(text) + " has a number that is out of range"}
	}
	return instance, v.spelt.check(doc.Root())
}
