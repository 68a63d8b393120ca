package main

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// drawCharts writes a chart for each measure of each operation.
func drawCharts(m *measurements, folder string) error {
	for _, o := range operations {
		for _, of := range o.measures {
			if err := drawChart(m, o, of, filepath.Join(folder, o.chart(of))); err != nil {
				return fmt.Errorf("the chart %s: %w", o.chart(of), err)
			}
		}
	}
	return nil
}

// chart is the name of its file.
func (o operation) chart(of measure) string { return o.file + "-" + of.name + ".svg" }

// colours tell the libraries apart, for those who do not see all colours too.
var colours = map[string]color.Color{
	"prompts":        color.RGBA{0x00, 0x72, 0xb2, 0xff},
	"prompts-listen": color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	"go-sdk":         color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	"mcp-go":         color.RGBA{0x00, 0x9e, 0x73, 0xff},
}

func drawChart(m *measurements, o operation, of measure, file string) error {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = o.title + ": " + of.name
	p.X.Label.Text = "n"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = powers("")
	p.Y.Tick.Marker = powers(of.unit)
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for _, library := range o.libraries {
		var xys plotter.XYs
		for _, at := range o.series(m, library, of) {
			if at.value > 0 {
				xys = append(xys, plotter.XY{X: at.size, Y: at.value})
			}
		}
		if len(xys) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		line.Color, dots.Color = colours[library], colours[library]
		line.Width = vg.Points(1.5)
		p.Add(line, dots)
		p.Legend.Add(library, line, dots)
	}
	if p.X.Min >= p.X.Max { // no measurements, or of one size
		p.X.Min, p.X.Max = 1, 10
	}
	p.X.Min, p.X.Max = decade(p.X.Min, false), decade(p.X.Max, true)
	if p.Y.Min <= 0 || p.Y.Min > p.Y.Max {
		p.Y.Min, p.Y.Max = 1, 10
	}
	p.Y.Min, p.Y.Max = decade(p.Y.Min, false), decade(p.Y.Max*10, true) // room for the legend
	return p.Save(vg.Points(420), vg.Points(300), file)
}
