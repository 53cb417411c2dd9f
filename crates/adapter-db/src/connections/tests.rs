use super::*;

const LONGEST: Duration = Duration::from_secs(5);

fn is_busy(permit: Outcome<OwnedSemaphorePermit>) -> bool {
    matches!(permit, Err(Failure::Unavailable(why)) if why == "too many long responses")
}

#[tokio::test(start_paused = true)]
async fn limits_the_waiting_requests_to_the_number_of_permits() {
    let slots = StreamSlots::new(2);
    let taken = [slots.take(LONGEST).await.unwrap(), slots.take(LONGEST).await.unwrap()];
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let slots = slots.clone();
            tokio::spawn(async move { slots.take(LONGEST).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let before = tokio::time::Instant::now();
    assert!(is_busy(slots.take(LONGEST).await));
    assert_eq!(before.elapsed(), Duration::ZERO);
    drop(taken);
    for waiting in waiting {
        assert!(waiting.await.unwrap().is_ok());
    }
    assert!(slots.take(LONGEST).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_times_out() {
    let slots = StreamSlots::new(1);
    let _taken = slots.take(LONGEST).await.unwrap();
    for _ in 0..2 {
        let before = tokio::time::Instant::now();
        assert!(is_busy(slots.take(LONGEST).await));
        assert_eq!(before.elapsed(), LONGEST);
    }
}
