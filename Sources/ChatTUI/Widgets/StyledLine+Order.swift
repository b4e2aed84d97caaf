// What a message says, on one row: lists, quotes and titles show right-to-left text in the order in which it is read, as
// the chat does by TextWrap.

import ChatWords

extension StyledLine {
    /// The row as it is read from left to right, at most `width` columns wide: what does not fit is cut and `…` says so,
    /// then, with `reordering`, right-to-left parts are turned around (UAX #9). Each letter keeps its style and target.
    /// The row is to be text of one message alone: names and times never take part.
    func inDisplayOrder(width: Int, reordering: Bool) -> StyledLine {
        let line = truncated(to: width)
        let clusters = line.text.clusters
        guard reordering, let paragraph = BidiParagraph(clusters) else { return line }
        let owners = line.spans.indices.flatMap { repeatElement($0, count: line.spans[$0].text.clusters.count) }
        var shown = StyledLine()
        var run: [Cluster] = []
        var owner: Int?
        func end() {
            guard let owner, line.spans.indices.contains(owner) else { return }
            let span = line.spans[owner]
            shown.add(SafeText(clusters: run), span.style, target: span.target)
        }
        for place in paragraph.visualOrder(of: clusters.indices) {
            if owners[place] != owner {
                end()
                run = []
                owner = owners[place]
            }
            run.append(paragraph.shownCluster(at: place))
        }
        end()
        return shown
    }

    /// The row itself if it fits, otherwise its beginning and `…`.
    func truncated(to width: Int) -> StyledLine {
        guard self.width > width else { return self }
        var line = StyledLine()
        for span in spans {
            let left = width - line.width
            guard span.text.width >= left else {
                line.add(span.text, span.style, target: span.target)
                continue
            }
            // One column more than fits, so that it is cut even where this piece ends exactly at the border.
            line.add((span.text + .blanks(1)).truncated(to: left), span.style, target: span.target)
            break
        }
        return line
    }
}

extension SafeText {
    /// One row of what a message says, in the order in which it is read: see StyledLine.
    func inDisplayOrder(width: Int, reordering: Bool) -> SafeText {
        StyledLine(self).inDisplayOrder(width: width, reordering: reordering).text
    }
}
