// Package browser drives the headless Chromium of the tests and the screenshots.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Browser is a running Chromium.
type Browser struct {
	ctx  context.Context
	stop func()
}

// Start starts the program that the environment variable CHROMIUM names, or
// chromium-headless-shell, or chromium. It returns an error if each program is missing.
func Start(ctx context.Context) (*Browser, error) {
	// The shell has no windows to draw, and needs half of chromium's time.
	path, err := exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "chromium-headless-shell"))
	if err != nil && os.Getenv("CHROMIUM") == "" {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		return nil, fmt.Errorf("install Debian's chromium-headless-shell or chromium, or set CHROMIUM: %w", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(waitLimit))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // without which it does not run as root
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	b := &Browser{}
	var stop context.CancelFunc
	b.ctx, stop = chromedp.NewContext(allocator)
	b.stop = func() { stop(); stopAllocator() }
	if err := chromedp.Do(b.ctx); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// Stop ends the browser.
func (b *Browser) Stop() { b.stop() }

// Tab is a page of the browser.
type Tab struct {
	ctx   context.Context
	close func()

	mu       sync.Mutex // protects messages
	messages []string
}

// NewTab opens a page.
func (b *Browser) NewTab() (*Tab, error) {
	t := &Tab{}
	t.ctx, t.close = chromedp.NewContext(b.ctx)
	if err := chromedp.Do(t.ctx, chromedp.EmulateViewport(1280, 800)); err != nil {
		return nil, err
	}
	err := chromedp.Listen(t.ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.add(fmt.Sprintf("exception: %v", e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			t.add(fmt.Sprintf("console.%s: %s", e.Type, e.Args[0].Value))
		case *log.EventEntryAdded:
			t.add(fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
		}
	})
	if err != nil {
		return nil, err
	}
	// Each page believes that it is the one in front.
	if _, err := chromedp.Call(t.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return nil, err
	}
	// What the policy of the page forbids is an event of its documents.
	const report = `addEventListener("securitypolicyviolation", (e) => { console.error("violation: " + e.violatedDirective + " " + e.blockedURI + " " + e.sample); }, true);`
	_, err = chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: report})
	return t, err
}

func (t *Tab) add(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages = append(t.messages, message)
}

// Messages returns what the console of the page has, exceptions and violations of its
// policy among them.
func (t *Tab) Messages() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.messages)
}

// Close closes the page.
func (t *Tab) Close() { t.close() }

// Do runs actions of package chromedp.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) error {
	return chromedp.Do(t.ctx, actions...)
}

// Size sets the size of the window, and whether the system is dark.
func (t *Tab) Size(width, height int64, isDark bool) error {
	theme := "light"
	if isDark {
		theme = "dark"
	}
	if err := t.Do(chromedp.EmulateViewport(width, height)); err != nil {
		return err
	}
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	return err
}

// Open opens a URL in a fresh document, and waits until the page has its prompts.
func (t *Tab) Open(url string) error {
	if err := t.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(url)); err != nil {
		return err
	}
	return t.Wait(`document.documentElement.dataset.ready === "true"`)
}

// waitLimit is how long Start and Wait wait for what comes soon, unless the machine has
// too much to do.
const waitLimit = 5 * time.Minute

// Wait waits until an expression is true, in whichever document the page then has. An
// expression that throws is not true yet.
func (t *Tab) Wait(expression string) error {
	ctx, cancel := context.WithTimeout(t.ctx, waitLimit)
	defer cancel()
	for {
		_, err := eval[bool](ctx, `new Promise((resolve) => {
			const look = () => { let is = false; try { is = `+expression+`; } catch {} if (is) resolve(true); else setTimeout(look, 10); };
			look();
		})`)
		// A document that is replaced takes the promise with it.
		if failure, ok := errors.AsType[*cdproto.Error](err); ok && failure.Code == documentGone && ctx.Err() == nil {
			continue
		}
		return err
	}
}

// documentGone is the code of Chromium's errors of a document that has been replaced.
const documentGone = -32000

// Click moves the mouse to a point of the window and clicks there.
func (t *Tab) Click(x, y float64) error {
	return t.Do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// Screenshot returns a picture of the window as PNG.
func (t *Tab) Screenshot() ([]byte, error) { return chromedp.Run(t.ctx, chromedp.CaptureScreenshot()) }

// Type presses the keys of a text, each a character or a key of package kb, with
// modifiers. A page that prevents the default of a key gets no character of it.
func (t *Tab) Type(text string, modifiers ...kb.Modifier) error {
	var held kb.Modifier
	for _, m := range modifiers {
		held |= m
	}
	for _, r := range text {
		k, ok := kb.Keys[r]
		if !ok {
			return fmt.Errorf("no key %q", r)
		}
		e := input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Modifiers: int64(held), Code: k.Code, Key: k.Key,
			WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native,
		}
		if k.Shift {
			e.Modifiers |= int64(chromedp.ModifierShift)
		}
		if k.Print && held == 0 {
			e.Text, e.UnmodifiedText = k.Text, k.Unmodified
		}
		if held == chromedp.ModifierCtrl && r == 'a' {
			e.Commands = []string{"selectAll"}
		}
		if _, err := chromedp.Call(t.ctx, input.DispatchKeyEvent, e); err != nil {
			return err
		}
		e.Type, e.Text, e.UnmodifiedText, e.Commands = input.DispatchKeyEventTypeKeyUp, "", "", nil
		if _, err := chromedp.Call(t.ctx, input.DispatchKeyEvent, e); err != nil {
			return err
		}
	}
	return nil
}

// Eval returns the value of an expression, or of the promise that it is.
func Eval[T any](t *Tab, expression string) (T, error) { return eval[T](t.ctx, expression) }

func eval[T any](ctx context.Context, expression string) (T, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}
