//! JSON as requests bring it: parsed strictly, read by member, every error with its path.

mod reader;
mod value;

pub use reader::{BadRequest, Object};
pub(crate) use value::any_twice;
pub use value::{Number, Value};

/// The longest request, in bytes.
pub const MAX_REQUEST: usize = 65_536;

pub use reader::parse_request;
