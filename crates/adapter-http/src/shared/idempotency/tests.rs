//! Tests of keys, hashes and guards, with a store that contains only idempotency records.

use std::sync::Mutex;

use async_trait::async_trait;

use payroll_ports::checks::AdditionOutcome;

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_785_199_045_000_000);

/// A store that returns a prepared result for each request, and remembers the ids of deleted idempotency
/// records.
struct RecordingIdempotencyStore {
    state: IdempotencyState,
    released: Mutex<Vec<String>>,
    stored_bodies: Mutex<Vec<Vec<u8>>>,
}

#[async_trait]
impl IdempotencyStore for RecordingIdempotencyStore {
    async fn begin_request(
        &self,
        _: &IdempotencyRecord,
        _: Timestamp,
        _: Timestamp,
    ) -> Result<IdempotencyState, StoreError> {
        Ok(self.state.clone())
    }

    async fn store_response(&self, record: &ResponseRecord) -> Result<bool, StoreError> {
        self.stored_bodies.lock().unwrap().push(record.response.body.clone());
        Ok(true)
    }

    async fn release_record(&self, record: &IdempotencyRecord) -> Result<(), StoreError> {
        self.released.lock().unwrap().push(record.attempt.clone());
        Ok(())
    }

    async fn delete_expired_records(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

impl RecordingIdempotencyStore {
    fn with_state(state: IdempotencyState) -> Arc<Self> {
        Arc::new(Self { state, released: Mutex::default(), stored_bodies: Mutex::default() })
    }

    fn released_count(&self) -> usize {
        self.released.lock().unwrap().len()
    }

    async fn begin(self: &Arc<Self>) -> Result<BeginResult, Failure> {
        let record = IdempotencyRecord {
            owner: "app".to_owned(),
            key: "key".to_owned(),
            request_hash: [7; 32],
            attempt: "one".to_owned(),
        };
        begin_with_record(Arc::<Self>::clone(self), record, NOW).await
    }

    async fn begin_fresh_request() -> (Arc<Self>, Arc<InFlightGuard>) {
        let marks = Self::with_state(IdempotencyState::Fresh);
        let Ok(BeginResult::Proceed(guard)) = marks.begin().await else { panic!("a fresh key is free") };
        (marks, guard)
    }
}

fn stored_response() -> StoredResponse {
    StoredResponse { status: 201, content_type: "application/json".to_owned(), body: b"{}".to_vec() }
}

async fn run_spawned_tasks() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn an_idempotency_key_is_a_single_header_of_1_to_255_visible_characters() {
    let read = |values: &[&[u8]]| {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY.clone(), HeaderValue::from_bytes(value).unwrap());
        }
        idempotency_key(&headers).map(|key| key.map(str::to_owned)).map_err(|fault| fault.reason)
    };
    assert_eq!(read(&[]), Ok(None));
    assert_eq!(read(&[b"a~!1"]), Ok(Some("a~!1".to_owned())));
    assert!(read(&[&[b'x'; 255]]).is_ok());
    for bad in [&[b"".as_slice()][..], &[b"a b"], &[b"\xc3\xa9"], &[&[b'x'; 256]], &[b"a", b"a"]] {
        assert_eq!(read(bad), Err(Reason::InvalidParameter), "{bad:?}");
    }
}

#[test]
fn request_hash_depends_on_every_byte() {
    let hash = request_hash(&["POST", "/a", "b=1"], b"body");
    assert_eq!(hash, request_hash(&["POST", "/a", "b=1"], b"body"));
    for (parts, body) in [
        (["PUT", "/a", "b=1"], "body"),
        (["POST", "/", "ab=1"], "body"),
        (["POST", "/a", "b=2"], "body"),
        (["POST", "/a", "b=1b"], "ody"),
        (["POST", "/a", "b=1"], "body "),
    ] {
        assert_ne!(hash, request_hash(&parts, body.as_bytes()), "{parts:?} {body}");
    }
}

#[tokio::test]
async fn stored_response_is_replayed_and_other_states_are_rejected() {
    let replayed =
        RecordingIdempotencyStore::with_state(IdempotencyState::Answered(stored_response())).begin().await;
    let Ok(BeginResult::Replay(stored)) = replayed else { panic!("the response is replayed") };
    let response = replay_response(stored).unwrap();
    assert_eq!(response.status().as_u16(), 201);
    assert_eq!(response.headers().get("idempotent-replayed").unwrap(), "true");
    for (says, status) in
        [(IdempotencyState::UnderWay(NOW.plus_seconds(7)), 409), (IdempotencyState::UsedOtherwise, 422)]
    {
        let refused = RecordingIdempotencyStore::with_state(says).begin().await.err().unwrap();
        assert_eq!(refused.into_response("id").status().as_u16(), status);
    }
}

#[tokio::test]
async fn a_rejected_request_deletes_its_record_once() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    guard.release_record().await;
    assert_eq!(marks.released_count(), 1);
    drop(guard);
    run_spawned_tasks().await;
    assert_eq!(marks.released_count(), 1);
}

#[tokio::test]
async fn a_cancelled_request_deletes_its_record() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    drop(guard);
    run_spawned_tasks().await;
    assert_eq!(marks.released_count(), 1);
}

#[tokio::test]
async fn a_stored_change_keeps_its_record_for_a_day() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    let response = guard.response_record(&stored_response()).unwrap();
    assert_eq!((response.record.attempt.as_str(), response.expires), ("one", NOW.plus_seconds(86_400)));
    let committed = guard.commit(async { Ok(AdditionOutcome::Stored) }).await.unwrap();
    assert_eq!(committed, AdditionOutcome::Stored);
    drop(guard);
    run_spawned_tasks().await;
    assert_eq!(marks.released_count(), 0);
}

#[tokio::test]
async fn stored_response_omits_one_time_values() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    let secret = StoredResponse { body: b"secret".to_vec(), ..stored_response() };
    let reported = ChangeResponse { response: secret.clone(), record: Some(stored_response()) };
    assert_eq!(guard.run_and_store_response(async { Ok(Some(reported)) }).await.unwrap(), Some(secret));
    drop(guard);
    run_spawned_tasks().await;
    assert_eq!(
        (marks.released_count(), marks.stored_bodies.lock().unwrap().clone()),
        (0, vec![stored_response().body])
    );
}

#[tokio::test]
async fn a_request_without_a_change_deletes_its_record() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    assert_eq!(guard.run_and_store_response(async { Ok(None) }).await.unwrap(), None);
    drop(guard);
    run_spawned_tasks().await;
    assert_eq!((marks.released_count(), marks.stored_bodies.lock().unwrap().len()), (1, 0));
}

#[tokio::test]
async fn change_completes_after_the_client_disconnects() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    let (go, gate) = tokio::sync::oneshot::channel::<()>();
    let change = async move {
        gate.await.map(|()| AdditionOutcome::Stored).map_err(|gone| StoreError::Bug(gone.into()))
    };
    let hung_up = tokio::time::timeout(std::time::Duration::ZERO, guard.commit(change)).await;
    assert!(hung_up.is_err());
    drop(guard);
    run_spawned_tasks().await;
    go.send(()).unwrap();
    run_spawned_tasks().await;
    assert_eq!(marks.released_count(), 0, "the change was stored, and its response with it");
}

#[tokio::test]
async fn a_record_that_belongs_to_another_request_is_not_released() {
    let (marks, guard) = RecordingIdempotencyStore::begin_fresh_request().await;
    let committed = guard.commit(async { Ok(AdditionOutcome::FactsChanged) }).await.unwrap();
    assert_eq!(committed, AdditionOutcome::FactsChanged);
    assert_eq!(
        guard.commit(async { Ok(AdditionOutcome::RecordLost) }).await.unwrap(),
        AdditionOutcome::RecordLost
    );
    guard.release_record().await;
    assert_eq!(marks.released_count(), 0, "a lost mark is another request's");
}
