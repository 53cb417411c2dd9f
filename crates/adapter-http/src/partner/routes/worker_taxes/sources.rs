//! The operations of a JSON Patch that set the values of state settings.

use std::collections::BTreeMap;

/// Maps each value that the patch has set to the index of the operation that set it. The key consists of the
/// index of the setting and the name of the member. The member `None` means the complete setting.
#[derive(Default)]
pub(super) struct ValueSources(BTreeMap<(usize, Option<String>), usize>);

impl ValueSources {
    /// Records that an operation set a member of a setting. Entries of members inside this member are
    /// removed, because the operation has replaced those members.
    pub(super) fn record_member_source(&mut self, index: usize, member: String, at: usize) {
        let below = format!("{member}/");
        self.0.retain(|(setting, own), _| {
            *setting != index || !own.as_ref().is_some_and(|own| own.starts_with(&below))
        });
        self.0.insert((index, Some(member)), at);
    }

    /// Records that an operation set a complete setting.
    pub(super) fn record_setting_source(&mut self, index: usize, at: usize) {
        self.0.retain(|(setting, _), _| *setting != index);
        self.0.insert((index, None), at);
    }

    /// Converts a pointer into the worker's document to a pointer into the body; `None` if no operation set
    /// the value.
    pub(super) fn pointer_in_body(&self, pointer: &str) -> Option<String> {
        let rest = pointer.strip_prefix("/taxes/states/")?;
        let (index, member) =
            rest.split_once('/').map_or((rest, None), |(index, member)| (index, Some(member)));
        let index = index.parse().ok()?;
        // The search goes outwards, so the first match is the innermost member that an operation has set.
        let (mut set, mut below) = (member, String::new());
        while let Some(path) = set {
            if let Some(at) = self.0.get(&(index, Some(path.to_owned()))) {
                return Some(format!("/{at}/value{below}"));
            }
            let (outer, last) =
                path.rsplit_once('/').map_or((None, path), |(outer, last)| (Some(outer), last));
            below.insert_str(0, &format!("/{last}"));
            set = outer;
        }
        let within = |own: &str| member.is_some_and(|member| own.starts_with(&format!("{member}/")));
        let inner = || {
            // If several operations changed a list, the fault of the list is reported at the last operation.
            let of_list = self
                .0
                .iter()
                .filter(|((setting, own), _)| *setting == index && own.as_deref().is_some_and(within));
            of_list.map(|(_, at)| at).max().map(|at| format!("/{at}/value"))
        };
        self.0.get(&(index, None)).map(|at| format!("/{at}/value{below}")).or_else(inner)
    }
}
