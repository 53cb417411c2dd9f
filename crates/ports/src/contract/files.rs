//! Contract tests for files of workers and their bytes.

use std::sync::Arc;

use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, FileType, MAX_DOCUMENTS_OF_WORKER, WorkerFile};
use payroll_domain::resource::ResourceKind;

use super::world::{NOW, company, create_company_and_caller, id, import_audit_context, import_company};
use super::writing::execute_write;
use crate::Store;
use crate::files::BlobKey;
use crate::resources::{ObjectWrite, WriteOutcome, WriteRefusal};
use crate::workers::WorkerKey;
use crate::write::AuditContext;

const WORKER_ID: &str = "acme-w1";

fn worker_key() -> WorkerKey {
    WorkerKey { company_id: id("acme"), worker_id: id(WORKER_ID) }
}

fn blob_key(file_id: &str) -> BlobKey {
    BlobKey { company_id: id("acme"), file_id: id(file_id) }
}

fn worker_file(kind: FileKind, file_id: &str) -> WorkerFile {
    WorkerFile {
        kind,
        file_id: id(file_id),
        name: (kind == FileKind::Document).then(|| format!("{file_id}.pdf")),
        category_id: (kind == FileKind::Document).then(|| id("certificates")),
        content_type: if kind == FileKind::Document { FileType::Pdf } else { FileType::Png },
        size: 3,
        sha256: "0".repeat(64),
        created: NOW,
    }
}

async fn add_file(store: &Arc<dyn Store>, file: &WorkerFile) -> WriteOutcome {
    let key = blob_key(file.file_id.as_str());
    store.add_blob_entry(&key, NOW).await.unwrap();
    store.put_blob(&key, b"abc".to_vec()).await.unwrap();
    store.add_file(&worker_key(), file, &import_audit_context()).await.unwrap()
}

async fn read_stored_ids(store: &Arc<dyn Store>, kind: FileKind) -> Vec<String> {
    let files = store.files_for_operator(&worker_key(), kind).await.unwrap().unwrap();
    files.value.iter().map(|file| file.file_id.to_string()).collect()
}

async fn read_unused_blob_ids(store: &Arc<dyn Store>, before: Timestamp) -> Vec<String> {
    let mut unused: Vec<String> =
        store.unused_blobs(before, 100).await.unwrap().iter().map(|key| key.file_id.to_string()).collect();
    unused.sort();
    unused
}

pub(super) async fn bytes_are_read_as_they_were_stored(store: Arc<dyn Store>) {
    for length in [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3 * 256 * 1024] {
        let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
        store.put_blob(&blob_key("blob"), bytes.clone()).await.unwrap();
        let expected = (length > 0).then_some(bytes);
        assert_eq!(store.get_blob(&blob_key("blob")).await.unwrap(), expected, "{length}");
    }
    assert_eq!(store.get_blob(&BlobKey { company_id: id("other"), ..blob_key("blob") }).await.unwrap(), None);
    store.delete_blob(&blob_key("blob")).await.unwrap();
    assert_eq!(store.get_blob(&blob_key("blob")).await.unwrap(), None);
}

pub(super) async fn a_file_is_added_listed_and_removed(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let diploma = worker_file(FileKind::Document, "diploma");
    assert!(matches!(add_file(&store, &diploma).await, WriteOutcome::Stored(_)));
    let found = store.files(&caller, &worker_key(), FileKind::Document).await.unwrap();
    let (_, found) = found.open_for_any_scope(&caller, Scopes::all(), NOW.date()).unwrap();
    assert_eq!(found.unwrap().value, [diploma]);
    assert_eq!(read_unused_blob_ids(&store, NOW.plus_seconds(1)).await, Vec::<String>::new());
    let nobody = WorkerKey { worker_id: id("nobody"), ..worker_key() };
    assert_eq!(store.files_for_operator(&nobody, FileKind::Document).await.unwrap(), None);
    let remove = async |file_id: &str| {
        let file_id = id(file_id);
        store
            .remove_file(&worker_key(), (FileKind::Document, Some(&file_id)), &import_audit_context())
            .await
            .unwrap()
    };
    assert_eq!(remove("another").await, WriteOutcome::Refused(WriteRefusal::Unknown));
    assert!(matches!(remove("diploma").await, WriteOutcome::Stored(_)));
    assert!(read_stored_ids(&store, FileKind::Document).await.is_empty());
    let later = import_audit_context().now.plus_seconds(1);
    assert_eq!(read_unused_blob_ids(&store, later).await, ["diploma"]);
    store.delete_blob_entry(&blob_key("diploma")).await.unwrap();
    assert!(read_unused_blob_ids(&store, later).await.is_empty());
}

pub(super) async fn profile_image_replaces_the_previous_one(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    for image in ["first", "second"] {
        assert!(matches!(
            add_file(&store, &worker_file(FileKind::ProfileImage, image)).await,
            WriteOutcome::Stored(_)
        ));
        assert_eq!(read_stored_ids(&store, FileKind::ProfileImage).await, [image]);
    }
    assert_eq!(read_unused_blob_ids(&store, import_audit_context().now.plus_seconds(1)).await, ["first"]);
    assert!(read_stored_ids(&store, FileKind::Document).await.is_empty());
}

pub(super) async fn a_file_requires_its_references_and_its_bytes(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let mut elsewhere = worker_file(FileKind::Document, "diploma");
    elsewhere.category_id = Some(id("nowhere"));
    assert!(matches!(add_file(&store, &elsewhere).await, WriteOutcome::Refused(WriteRefusal::Missing(_))));
    let nobody = WorkerKey { worker_id: id("nobody"), ..worker_key() };
    let unknown = worker_file(FileKind::Document, "unknown");
    let refused = store.add_file(&nobody, &unknown, &import_audit_context()).await.unwrap();
    assert_eq!(refused, WriteOutcome::Refused(WriteRefusal::Unknown));
    // Adding the file must fail, because no blob entry was added for the bytes of the file.
    store.add_file(&worker_key(), &unknown, &import_audit_context()).await.unwrap_err();
    let dry = store
        .add_file(&worker_key(), &unknown, &AuditContext { dry_run: true, ..import_audit_context() })
        .await
        .unwrap();
    assert!(matches!(dry, WriteOutcome::Stored(_)), "{dry:?}");
    assert!(read_stored_ids(&store, FileKind::Document).await.is_empty());
}

pub(super) async fn limits_the_documents_of_a_worker(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    for number in 0..MAX_DOCUMENTS_OF_WORKER {
        let added = add_file(&store, &worker_file(FileKind::Document, &format!("d{number:03}"))).await;
        assert!(matches!(added, WriteOutcome::Stored(_)), "{number}: {added:?}");
    }
    let refused = add_file(&store, &worker_file(FileKind::Document, "more")).await;
    assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::NotAllowed(_))), "{refused:?}");
    assert_eq!(read_stored_ids(&store, FileKind::Document).await.len(), MAX_DOCUMENTS_OF_WORKER as usize);
}

pub(super) async fn deleting_a_worker_deletes_its_files(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    add_file(&store, &worker_file(FileKind::Document, "diploma")).await;
    let deleted =
        execute_write(&store, "acme", ObjectWrite::Delete(ResourceKind::Worker, WORKER_ID.to_owned(), None))
            .await;
    assert!(matches!(deleted, WriteOutcome::Stored(_)), "{deleted:?}");
    assert_eq!(store.files_for_operator(&worker_key(), FileKind::Document).await.unwrap(), None);
    assert_eq!(read_unused_blob_ids(&store, Timestamp::from_micros(i64::MAX)).await, ["diploma"]);
}
