use super::*;

const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);

fn is_busy(permit: Outcome<OwnedSemaphorePermit>) -> bool {
    matches!(permit, Err(Failure::Unavailable(why)) if why == "too many streamed responses are in progress")
}

#[tokio::test(start_paused = true)]
async fn limits_the_waiting_requests_to_the_number_of_permits() {
    let slots = StreamPermits::new(2);
    let permits = [
        slots.acquire_permit(PERMIT_TIMEOUT).await.unwrap(),
        slots.acquire_permit(PERMIT_TIMEOUT).await.unwrap(),
    ];
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let slots = slots.clone();
            tokio::spawn(async move { slots.acquire_permit(PERMIT_TIMEOUT).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let before = tokio::time::Instant::now();
    assert!(is_busy(slots.acquire_permit(PERMIT_TIMEOUT).await));
    assert_eq!(before.elapsed(), Duration::ZERO);
    drop(permits);
    for waiting in waiting {
        assert!(waiting.await.unwrap().is_ok());
    }
    assert!(slots.acquire_permit(PERMIT_TIMEOUT).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_times_out() {
    let slots = StreamPermits::new(1);
    let _taken = slots.acquire_permit(PERMIT_TIMEOUT).await.unwrap();
    for _ in 0..2 {
        let before = tokio::time::Instant::now();
        assert!(is_busy(slots.acquire_permit(PERMIT_TIMEOUT).await));
        assert_eq!(before.elapsed(), PERMIT_TIMEOUT);
    }
}
