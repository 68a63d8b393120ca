package promises

import (
	"go/ast"
	"go/constant"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// addLimits adds the constants of a package, and the options if it is one that
// authors import.
func (c *code) addLimits(folder string, files []*ast.File) {
	prefix := ""
	if folder != "." {
		prefix = path.Base(folder) + "."
	}
	isPublic := isImported(folder)
	p := &pkg{constants: map[string]ast.Expr{}, structs: map[string]*ast.StructType{}}
	for _, f := range files {
		p.read(f)
	}
	for name := range p.constants {
		if v, ok := p.value(&ast.Ident{Name: name}); ok {
			c.limits[prefix+name] = limit{value: &v, isDue: isPublic && strings.HasPrefix(name, "max")}
		}
	}
	for name := range p.structs {
		if isPublic && ast.IsExported(name) && (strings.HasSuffix(name, "Options") || name == "Cache") {
			p.options(prefix+name, name, c.limits)
		}
	}
}

// pkg is what a package declares at its top.
type pkg struct {
	constants map[string]ast.Expr
	structs   map[string]*ast.StructType
}

func (p *pkg) read(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for i, value := range s.Values {
					if g.Tok == token.CONST {
						p.constants[s.Names[i].Name] = value
					}
				}
			case *ast.TypeSpec:
				if t, ok := s.Type.(*ast.StructType); ok {
					p.structs[s.Name.Name] = t
				}
			}
		}
	}
}

// options adds the fields of a struct that are a number or a time, those of
// structs within it among them.
func (p *pkg) options(prefix, name string, all map[string]limit) {
	for _, field := range p.structs[name].Fields.List {
		for _, n := range field.Names {
			typ, _ := field.Type.(*ast.Ident)
			switch {
			case !n.IsExported():
			case typ != nil && p.structs[typ.Name] != nil:
				p.options(prefix+"."+n.Name, typ.Name, all)
			case isNumber(field.Type):
				all[prefix+"."+n.Name] = limit{documented: documented(field.Doc.Text()), value: p.defaultOf(n.Name), isDue: true}
			}
		}
	}
}

// isNumber reports whether a type is that of a limit.
func isNumber(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"int", "int32", "int64", "uint", "uint32", "uint64", "float32", "float64"}, t.Name)
	case *ast.SelectorExpr:
		of, _ := t.X.(*ast.Ident)
		return of != nil && of.Name == "time" && t.Sel.Name == "Duration"
	}
	return false
}

var says = regexp.MustCompile(`(?:Default: |Zero or less means )(.*?)\.(?: |$)`)

// documented returns the default that the comment of an option says.
func documented(comment string) string {
	m := says.FindStringSubmatch(strings.Join(strings.Fields(comment), " "))
	if m == nil {
		return ""
	}
	return m[1]
}

// defaultOf returns the value of the constant that is called as the default of
// an option, or nil if there is none.
func (p *pkg) defaultOf(option string) *float64 {
	for _, name := range []string{"default" + option, "default" + strings.TrimPrefix(option, "Max")} {
		if v, ok := p.value(&ast.Ident{Name: name}); ok {
			return &v
		}
	}
	return nil
}

// times are the constants of package time.
var times = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// value returns the number that an expression is, times in nanoseconds.
func (p *pkg) value(e ast.Expr) (float64, bool) {
	v := constant.ToFloat(p.eval(e))
	if v.Kind() != constant.Float {
		return 0, false
	}
	f, _ := constant.Float64Val(v)
	return f, true
}

func (p *pkg) eval(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0)
		}
	case *ast.ParenExpr:
		return p.eval(e.X)
	case *ast.Ident:
		if value, ok := p.constants[e.Name]; ok {
			return p.eval(value)
		}
	case *ast.SelectorExpr:
		if t, ok := times[e.Sel.Name]; ok {
			return constant.MakeInt64(int64(t))
		}
	case *ast.BinaryExpr:
		x, y := p.eval(e.X), p.eval(e.Y)
		switch n, ok := constant.Uint64Val(constant.ToInt(y)); {
		case x.Kind() == constant.Unknown || y.Kind() == constant.Unknown:
		case e.Op == token.SHL && ok:
			return constant.Shift(x, e.Op, uint(n))
		case e.Op == token.MUL:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}
