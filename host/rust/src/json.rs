//! Reads the JSON of answers, for programs without a JSON library.

use crate::ffi;

/// Iterates over an array or the members of an object. Each item has a key (empty in an array; without quotes, with its
/// escapes) and a value, both unchanged slices of `json`. The JSON must be valid, as every answer is.
///
/// ```
/// let values: Vec<&str> = ctxfold::json::values(r#"{"a": 1, "b": [2]}"#).map(|(_, value)| value).collect();
/// assert_eq!(values, ["1", "[2]"]);
/// ```
pub fn values(json: &str) -> Values<'_> {
    Values { json, at: 0 }
}

/// The iterator of [`values`].
pub struct Values<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Iterator for Values<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut key, mut value) = (ffi::Text::NONE, ffi::Text::NONE);
        // The returned pointers point into json.
        let (key, value) = unsafe {
            if !ffi::ctxfold_next(ffi::Text::of(self.json.as_bytes()), &mut self.at, &mut key, &mut value) {
                return None;
            }
            (key.bytes(), value.bytes())
        };
        Some((std::str::from_utf8(key).ok()?, std::str::from_utf8(value).ok()?))
    }
}

/// Returns the value of a key in an object, as an unchanged slice of `json`; `None` if it has no such key.
///
/// ```
/// assert_eq!(ctxfold::json::member(r#"{"a": {"b": 1}}"#, "a"), Some(r#"{"b": 1}"#));
/// ```
pub fn member<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    values(json).find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Decodes a JSON string. Returns `None` for any other value.
///
/// ```
/// assert_eq!(ctxfold::json::string(r#""a\n\u00e4""#).as_deref(), Some("a\nä"));
/// ```
pub fn string(json: &str) -> Option<String> {
    let mut length = 0;
    unsafe {
        let text = ffi::ctxfold_string(ffi::Text::of(json.as_bytes()), &mut length);
        if text.is_null() {
            return None;
        }
        let copy = std::slice::from_raw_parts(text.cast::<u8>(), length).to_vec();
        ffi::ctxfold_free(text.cast());
        String::from_utf8(copy).ok()
    }
}

/// Returns text as a JSON string.
///
/// ```
/// assert_eq!(ctxfold::json::quoted("a \"b\"\n"), r#""a \"b\"\u000a""#);
/// ```
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\0'..='\x1f' => json.push_str(&format!("\\u{:04x}", c as u32)),
            _ => json.push(c),
        }
    }
    json.push('"');
    json
}
