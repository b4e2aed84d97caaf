// Examples of right-to-left text that can be read in a test: upper-case letters stand for Hebrew ones.

/// Upper-case letters as Hebrew ones.
func hebrew(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
        let isUpper = (0x41...0x5A).contains(scalar.value)
        result.unicodeScalars.append(isUpper ? Unicode.Scalar(0x5D0 + scalar.value - 0x41) ?? scalar : scalar)
    }
}

/// Hebrew letters as upper-case ones.
func latin(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
        let isHebrew = (0x5D0...0x5E9).contains(scalar.value)
        result.unicodeScalars.append(isHebrew ? Unicode.Scalar(0x41 + scalar.value - 0x5D0) ?? scalar : scalar)
    }
}
