// Package markup is a stub until the real one is merged.
package markup

type Text struct{ Markdown, HTML, Plain string }

func Render(m string) Text { return Text{m, "<p>" + m + "</p>", m} }
