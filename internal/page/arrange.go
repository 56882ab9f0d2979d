package page

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// blocks are elements that begin a new line and have a counterpart in Markdown.
var blocks = []string{"p", "div", "ul", "ol", "dl", "pre", "blockquote", "figure", "hr", "table", "h1", "h2", "h3", "h4", "h5", "h6"}

// sections are elements that begin a new line too, but have no counterpart in Markdown. Without
// them, the last word before and the first word inside would be joined.
var sections = []string{"address", "article", "aside", "button", "center", "details", "fieldset", "figcaption", "footer", "form", "header",
	"hgroup", "legend", "main", "nav", "option", "search", "section", "summary"}

// arrange rewrites elements that Markdown does not have, so that their words stay separate and in
// order: tables, lists with explicit numbers, and sections. The tree must have been pruned.
func arrange(node *html.Node) {
	for child := node.FirstChild; child != nil; {
		next := child.NextSibling
		arrange(child)
		child = next
	}
	switch {
	case node.Type != html.ElementNode:
	case node.Data == "table":
		arrangeTable(node)
	case node.Data == "ol":
		arrangeNumbers(node)
	case slices.Contains(sections, node.Data):
		rename(node, "div")
	}
}

// arrangeTable writes the rows of a table as lines, with a vertical bar between cells. A table
// whose cells contain blocks is used for layout: its cells are written one after the other.
func arrangeTable(table *html.Node) {
	var rows [][]*html.Node
	var parts []*html.Node // other elements of the table
	wide, layout := false, false
	for node := range table.Descendants() {
		if node.Type != html.ElementNode { // the Data of a text may be "td", too
			continue
		}
		switch node.Data {
		case "tr":
			rows = append(rows, nil)
		case "td", "th":
			if len(rows) == 0 {
				continue
			}
			unwrap(node)
			last := &rows[len(rows)-1]
			*last = append(*last, node)
			wide = wide || len(*last) > 1
			layout = layout || slices.ContainsFunc(slices.Collect(node.Descendants()), isBlock)
		}
	}
	for node := range table.Descendants() {
		if slices.Contains([]string{"caption", "thead", "tbody", "tfoot", "tr", "td", "th"}, node.Data) && node.Type == html.ElementNode {
			parts = append(parts, node)
		}
	}
	for _, node := range parts {
		rename(node, "div")
	}
	rename(table, "div")
	if layout || !wide {
		return
	}
	lines := element("p")
	for i, row := range rows {
		if i > 0 {
			lines.AppendChild(element("br"))
		}
		for j, cell := range row {
			if j > 0 {
				lines.AppendChild(&html.Node{Type: html.TextNode, Data: " | "})
			}
			moveInto(lines, cell)
			cell.Parent.RemoveChild(cell)
		}
	}
	table.AppendChild(lines)
}

// unwrap replaces the only block of a cell with its content.
func unwrap(cell *html.Node) {
	var only *html.Node
	for child := range cell.ChildNodes() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) == "":
		case only == nil && child.Type == html.ElementNode && (child.Data == "p" || child.Data == "div"):
			only = child
		default:
			return
		}
	}
	if only != nil && !slices.ContainsFunc(slices.Collect(only.Descendants()), isBlock) {
		moveInto(cell, only)
		cell.RemoveChild(only)
	}
}

// moveInto appends the children of a node to another. A line break becomes a space.
func moveInto(to, from *html.Node) {
	for child := from.FirstChild; child != nil; child = from.FirstChild {
		from.RemoveChild(child)
		if child.Data == "br" && child.Type == html.ElementNode {
			child = &html.Node{Type: html.TextNode, Data: " "}
		}
		to.AppendChild(child)
	}
}

// arrangeNumbers writes the numbers of a list as text if Markdown would number it differently: it
// has neither descending lists nor items with explicit numbers.
func arrangeNumbers(list *html.Node) {
	var items []*html.Node
	for child := range list.ChildNodes() {
		if child.Type == html.ElementNode && child.Data == "li" {
			items = append(items, child)
		}
	}
	step, number := 1, 1
	if _, ok := attr(list, "reversed"); ok {
		step, number = -1, len(items)
	}
	if start, ok := numberOf(list, "start"); ok {
		number = start
	}
	plain := step > 0 && number >= 0
	numbers := make([]int, len(items))
	for i, item := range items {
		if value, ok := numberOf(item, "value"); ok {
			plain = plain && value == number
			number = value
		}
		numbers[i] = number
		number += step
	}
	if plain {
		return
	}
	rename(list, "div")
	for i, item := range items {
		rename(item, "div")
		at := item
		for child := range item.ChildNodes() {
			if child.Type == html.ElementNode && child.Data == "p" {
				at = child
			}
			if child.Type == html.ElementNode || strings.TrimSpace(child.Data) != "" {
				break
			}
		}
		at.InsertBefore(&html.Node{Type: html.TextNode, Data: strconv.Itoa(numbers[i]) + ". "}, at.FirstChild)
	}
}

// maxNumber limits the numbers of lists. CommonMark allows nine digits.
const maxNumber = 999_999

// numberOf returns the number in an attribute.
func numberOf(node *html.Node, name string) (int, bool) {
	value, ok := attr(node, name)
	number, err := strconv.Atoi(strings.TrimSpace(value))
	return number, ok && err == nil && number >= -maxNumber && number <= maxNumber
}

func attr(node *html.Node, name string) (string, bool) {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func isBlock(node *html.Node) bool {
	return node.Type == html.ElementNode && slices.Contains(blocks, node.Data)
}

func element(name string) *html.Node { return &html.Node{Type: html.ElementNode, Data: name} }

// rename changes the name of an element.
func rename(node *html.Node, name string) { node.Data, node.DataAtom, node.Attr = name, 0, nil }
