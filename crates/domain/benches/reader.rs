//! Compares the JSON parser with `serde_json`, for typical bodies and for the slowest ones. The results and
//! the decision are in docs/decisions/json-reader.md. To run the benchmark:
//!
//! `cargo bench -p payroll-domain --bench reader`
//!
//! The `serde_json` tree in this benchmark keeps the order of members and duplicate members, but not the
//! literal text of numbers. `serde_json` keeps that text only with a Cargo feature that changes number
//! handling in the entire program. Without the feature, the benchmark would have to parse each number twice.

use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use payroll_domain::input;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The size of each document in bytes, which is the maximum size of a partner's request.
const BYTES: usize = 2 * 1024 * 1024;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, text) in documents() {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("this reader", |b| b.iter(|| input::parse(black_box(text.as_bytes())).is_ok()));
        group.bench_function("serde_json, numbers as floats", |b| {
            b.iter(|| serde_json::from_str::<JsonTree<'_>>(black_box(&text)).is_ok());
        });
        group.bench_function("serde_json, numbers as they stand", |b| {
            b.iter(|| {
                serde_json::from_str::<&RawValue>(black_box(&text))
                    .is_ok_and(|raw| count_values_by_level(raw).is_ok())
            });
        });
        group.finish();
    }
    criterion.final_summary();
}

fn documents() -> Vec<(&'static str, String)> {
    let list = |part: &str| format!("[{}0]", part.repeat(BYTES / part.len()));
    let line = r#"{"componentId":"HOURLY","payHours":"8.25","payRate":20.5,"memoed":false},"#;
    vec![
        ("lines of checks", list(line)),
        ("letters as escapes", format!("[\"{}\"]", "\\u00e9".repeat(BYTES / 6))),
        ("small arrays", list("[0],")),
        ("sixty levels", list(&format!("{}0{},", "[".repeat(60), "]".repeat(60)))),
    ]
}

/// A JSON value, filled by the deserializer of `serde_json`.
#[expect(dead_code, reason = "what it costs to fill is measured; no code reads it")]
enum JsonTree<'a> {
    Nothing,
    Flag(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<JsonTree<'a>>),
    Object(Vec<(Cow<'a, str>, JsonTree<'a>)>),
}

struct TreeVisitor;

impl<'de: 'a, 'a> Deserialize<'de> for JsonTree<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = JsonTree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(JsonTree::Nothing)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(JsonTree::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(JsonTree::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(JsonTree::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(JsonTree::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(JsonTree::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = elements.next_element()? {
            all.push(element);
        }
        Ok(JsonTree::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(JsonTree::Text(name)) = members.next_key()? {
            all.push((name, members.next_value()?));
        }
        Ok(JsonTree::Object(all))
    }
}

/// Parses a document level by level: each value is first kept as raw text and then parsed on its own. The raw
/// text preserves the literal text of numbers without a Cargo feature. Returns the number of values in the
/// document.
fn count_values_by_level(raw: &RawValue) -> serde_json::Result<usize> {
    let below = match raw.get().as_bytes().first() {
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(raw.get())?,
        Some(b'{') => {
            let Members(members) = serde_json::from_str(raw.get())?;
            members.into_iter().map(|(_, value)| value).collect()
        }
        _ => return Ok(1),
    };
    below.into_iter().try_fold(1, |count, raw| Ok(count + count_values_by_level(raw)?))
}

struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

struct MembersVisitor;

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(name) = members.next_key()? {
            all.push((name, members.next_value()?));
        }
        Ok(Members(all))
    }
}
