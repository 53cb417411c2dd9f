//! The type of a row in the table of operations, and functions that create rows.

use super::statuses::{
    ACTION_STATUSES, CREATION_STATUSES, LIST_STATUSES, READ_OBJECT_STATUSES, READ_STATUSES,
    STATUSES_OF_ANY_OPERATION,
};

/// An operation and its possible statuses.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The required scope. [`ANY_TOKEN_SCOPE`] if any token is enough, and `None` for the token operation.
    pub(crate) scope: Option<&'static str>,
    /// The media types of a successful response. The server uses the first one if the client has no
    /// preference.
    pub(crate) media_types: &'static [&'static str],
    /// The HTTP status of a successful response.
    pub(crate) success: u16,
    /// Whether the body of a successful response is a list, an object or empty.
    pub(crate) shape: ResponseShape,
    /// All other statuses that the specification lists for the operation.
    pub(crate) refusals: &'static [u16],
}

/// The shape of a successful response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseShape {
    /// A list: an envelope with `metadata`.
    Collection,
    /// One object: an envelope without `metadata`.
    Content,
    /// A bare object without an envelope.
    Bare,
    /// A response without a body.
    Nothing,
}

/// The scope of an operation that accepts any token.
pub(crate) const ANY_TOKEN_SCOPE: &str = "";

/// The type of the constant texts in the table of operations.
pub(super) type StaticText = &'static str;

pub(super) const fn operation(
    method: StaticText,
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    Operation { method, path, scope, media_types, success: 200, shape: ResponseShape::Content, refusals: &[] }
}

/// Returns an operation that reads a list of a company.
pub(super) const fn list_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("GET", path, scope, media_types)
        .with_shape(ResponseShape::Collection)
        .with_error_statuses(LIST_STATUSES)
}

/// Returns an operation that reads one object.
pub(super) const fn get_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("GET", path, scope, media_types).with_error_statuses(READ_OBJECT_STATUSES)
}

/// Returns an operation that reads data of the application itself.
pub(super) const fn read_own_data_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("GET", path, scope, media_types)
        .with_shape(ResponseShape::Bare)
        .with_error_statuses(READ_STATUSES)
}

/// Returns an operation that adds an object or executes an action.
pub(super) const fn post_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("POST", path, scope, media_types).with_error_statuses(ACTION_STATUSES)
}

/// Returns an operation that adds an object and supports a dry run.
pub(super) const fn create_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("POST", path, scope, media_types)
        .with_success(201, ResponseShape::Content)
        .with_error_statuses(CREATION_STATUSES)
}

pub(super) const fn patch_operation(
    path: StaticText,
    scope: Option<StaticText>,
    media_types: &'static [StaticText],
) -> Operation {
    operation("PATCH", path, scope, media_types)
}

pub(super) const fn delete_operation(path: StaticText, scope: Option<StaticText>) -> Operation {
    operation("DELETE", path, scope, &[]).with_success(204, ResponseShape::Nothing)
}

impl Operation {
    pub(super) const fn with_success(self, success: u16, shape: ResponseShape) -> Self {
        Self { success, shape, ..self }
    }

    pub(super) const fn with_shape(self, shape: ResponseShape) -> Self {
        Self { shape, ..self }
    }

    pub(super) const fn with_error_statuses(self, refusals: &'static [u16]) -> Self {
        Self { refusals, ..self }
    }

    /// Returns whether the responses contain personal data (§2.7).
    pub(crate) fn is_personal(&self) -> bool {
        const PERSONAL_PATHS: &[&str] = &[
            "/auth/oauth/v2/token",
            "/checks",
            "/companies",
            "/companies/{companyId}",
            "/companies/{companyId}/checks",
            "/companies/{companyId}/workers",
            "/management/requestclientaccess",
        ];
        self.path.starts_with("/workers/") || PERSONAL_PATHS.contains(&self.path)
    }

    pub(crate) fn can_return_status(&self, status: u16) -> bool {
        self.success == status
            || self.refusals.contains(&status)
            || STATUSES_OF_ANY_OPERATION.contains(&status)
    }

    pub(super) fn matches_path(&self, path: &str) -> bool {
        let (mut template_segments, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (template_segments.next(), given.next()) {
                (None, None) => return true,
                (Some(segment), Some(id)) if segment.starts_with('{') && !id.is_empty() => {}
                (Some(segment), Some(given)) if segment == given => {}
                _ => return false,
            }
        }
    }
}
