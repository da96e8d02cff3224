//! Lines of requests, read in bounded memory.

use std::io::{self, BufRead as _, BufReader, Read};

/// The longest line: the longest request.
pub(crate) const MAX_LINE: usize = 64 * 1024;

/// Reads line by line, whatever there is to read.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
}

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Text.
    Text(&'a str),
    /// Bytes that are no UTF-8.
    NotUtf8,
    /// More than [`MAX_LINE`] bytes; the rest of them were passed over.
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(MAX_LINE, input),
            line: Vec::new(),
        }
    }

    /// Whether [`Lines::next`] may have to wait for more input. Whoever is at the other end may
    /// be waiting for answers first.
    pub(crate) fn may_wait(&self) -> bool {
        !self.input.buffer().contains(&b'\n')
    }

    /// The next line, if there is one. The last one needs no line end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut begun, mut too_long) = (false, false);
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let mut parts = chunk.splitn(2, |byte| *byte == b'\n');
            let part = parts.next().unwrap_or_default();
            let ended = parts.next().is_some();
            begun |= !chunk.is_empty();
            too_long |= self.line.len().saturating_add(part.len()) > MAX_LINE;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let ended = ended || chunk.is_empty();
            let used = part.len().saturating_add(1).min(chunk.len());
            self.input.consume(used);
            if ended {
                break;
            }
        }
        Ok(begun.then(|| match str::from_utf8(&self.line) {
            _ if too_long => Line::TooLong,
            Ok(text) => Line::Text(text),
            Err(_) => Line::NotUtf8,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of some bytes that arrive in pieces of this size.
    fn lines(bytes: &[u8], piece: usize) -> Vec<String> {
        struct Pieces<'a>(&'a [u8], usize);
        impl Read for Pieces<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let piece = self.1.min(into.len());
                self.0.read(&mut into[..piece])
            }
        }
        let mut lines = Lines::new(Pieces(bytes, piece));
        let mut read = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            read.push(match line {
                Line::Text(text) => text.to_owned(),
                other => format!("{other:?}"),
            });
        }
        read
    }

    #[test]
    fn lines_do_not_depend_on_how_they_arrive() {
        for piece in [1, 2, 3, 64 * 1024] {
            assert_eq!(lines(b"", piece), [""; 0]);
            assert_eq!(lines(b"\n", piece), [""]);
            assert_eq!(lines(b"ab\n\ncd", piece), ["ab", "", "cd"]);
            assert_eq!(lines(b"ab\r\ncd\n", piece), ["ab\r", "cd"]);
            assert_eq!(
                lines(b"a\xffb\n\xc3\xa9\n\xc3", piece),
                ["NotUtf8", "é", "NotUtf8"]
            );
        }
    }

    #[test]
    fn a_line_has_64_kib_at_most_and_what_follows_is_read_all_the_same() {
        let line = |length: usize| [vec![b'x'; length], b"\nnext".to_vec()].concat();
        for piece in [1000, 65_536, 1 << 20] {
            assert_eq!(
                lines(&line(65_536), piece),
                ["x".repeat(65_536), "next".to_owned()]
            );
            assert_eq!(lines(&line(65_537), piece), ["TooLong", "next"]);
            assert_eq!(lines(&line(1 << 20), piece), ["TooLong", "next"]);
            assert_eq!(lines(&vec![b'x'; 1 << 20], piece), ["TooLong"]);
        }
    }

    #[test]
    fn a_line_that_never_ends_takes_no_memory() {
        let mut lines = Lines::new(io::repeat(b'x').take(64 << 20));
        assert_eq!(lines.next().unwrap(), Some(Line::TooLong));
        assert!(
            lines.line.capacity() <= 2 * MAX_LINE,
            "{}",
            lines.line.capacity()
        );
    }

    #[test]
    fn it_waits_only_where_no_whole_line_is_there() {
        let mut lines = Lines::new(&b"a\nb\nc"[..]);
        assert!(lines.may_wait());
        lines.next().unwrap();
        assert!(!lines.may_wait());
        lines.next().unwrap();
        assert!(lines.may_wait());
    }
}
