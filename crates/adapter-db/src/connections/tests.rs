use super::*;

const LONGEST: Duration = Duration::from_secs(5);

fn is_busy(taken: Outcome<OwnedSemaphorePermit>) -> bool {
    matches!(taken, Err(Failure::Unavailable(why)) if why == "too many long responses")
}

#[tokio::test(start_paused = true)]
async fn as_many_requests_wait_as_there_are_places_and_the_next_is_rejected_at_once() {
    let places = StreamPlaces::new(2);
    let taken = [places.take(LONGEST).await.unwrap(), places.take(LONGEST).await.unwrap()];
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let places = places.clone();
            tokio::spawn(async move { places.take(LONGEST).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let before = tokio::time::Instant::now();
    assert!(is_busy(places.take(LONGEST).await));
    assert_eq!(before.elapsed(), Duration::ZERO);
    drop(taken);
    for waiting in waiting {
        assert!(waiting.await.unwrap().is_ok());
    }
    assert!(places.take(LONGEST).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_so_long_and_then_leaves_the_queue() {
    let places = StreamPlaces::new(1);
    let _taken = places.take(LONGEST).await.unwrap();
    for _ in 0..2 {
        let before = tokio::time::Instant::now();
        assert!(is_busy(places.take(LONGEST).await));
        assert_eq!(before.elapsed(), LONGEST);
    }
}
