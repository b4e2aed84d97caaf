// File names where there is little room (PRODUCT "Hostile text", rule 3): the name gets shorter, not what the file is.

extension SafeText {
    /// A file name from outside in at most `width` columns. The name is shortened before its extension, and `(program)`
    /// goes before the extension does; only a width that has no room for the extension cuts it off.
    ///
    /// - Parameter end: a text after the name that has to stay, as the `/` of a folder; such a name has no
    ///   extension that would mean anything.
    package static func fileName(_ raw: String, end: SafeText = .empty, width: Int) -> SafeText {
        let whole = SafeText(raw, as: .fileName) + end
        guard whole.width > width else { return whole }
        let ends = end.isEmpty ? NameFilter.ends(of: raw) : [end]
        guard let longest = ends.first else { return whole.truncated(to: width) }
        let name = whole.prefix(width: whole.width - longest.width)
        for end in ends {
            if name.width + end.width <= width { return name + end }
            if end.width < width { return name.truncated(to: width - end.width) + end }
        }
        return whole.truncated(to: width)
    }
}
