//! The memory budget of a listener for requests and responses in progress, with a share for each application.
//!
//! Memory is reserved as data arrive. The memory of a response is reserved until the client has read it.
//! Without the budget, a thousand connections that each send 2 MB slowly would use 2 GB.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use payroll_domain::id::ApplicationId;

/// The memory budget of a listener.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    max_bytes: usize,
    max_bytes_of_application: usize,
    reservation: Mutex<ReservationTotals>,
}

/// The current reservations, in total and by application. An application without reserved memory is not
/// listed.
#[derive(Debug, Default)]
struct ReservationTotals {
    bytes: usize,
    of_applications: HashMap<ApplicationId, usize>,
}

/// Memory that is reserved from the budget. Dropping this value releases the memory.
#[derive(Debug)]
pub(crate) struct ReservedMemory {
    budget: Arc<MemoryBudget>,
    application: Option<ApplicationId>,
    bytes: usize,
}

/// The reason why memory was not reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryRefusal {
    /// The application has used up its share. Other applications can still reserve memory.
    ApplicationLimit,
    /// The entire budget of the listener is reserved.
    ListenerLimit,
    /// The size exceeds the entire budget or the application's share, so it never fits.
    NeverFits,
}

impl MemoryBudget {
    pub(crate) fn new(max_bytes: usize, max_bytes_of_application: usize) -> Arc<Self> {
        Arc::new(Self { max_bytes, max_bytes_of_application, reservation: Mutex::default() })
    }

    /// Creates an empty reservation. If `application` is given, the reservation counts against the share of
    /// the application.
    pub(crate) fn new_reservation(self: &Arc<Self>, application: Option<ApplicationId>) -> ReservedMemory {
        ReservedMemory { budget: Arc::clone(self), application, bytes: 0 }
    }

    /// Returns the number of reserved bytes.
    pub(crate) fn in_use(&self) -> usize {
        self.lock_totals().bytes
    }

    fn lock_totals(&self) -> MutexGuard<'_, ReservationTotals> {
        self.reservation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReservedMemory {
    /// Changes the reservation to this number of bytes.
    ///
    /// # Errors
    /// [`MemoryRefusal`] if the memory is not available. The reservation is then unchanged.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), MemoryRefusal> {
        if bytes > self.bytes {
            self.check_limits(bytes)?;
        }
        self.resize_unchecked(bytes);
        Ok(())
    }

    /// Changes the reservation to this number of bytes even beyond the budget, for data that are in memory
    /// already.
    pub(crate) fn resize_unchecked(&mut self, bytes: usize) {
        let mut reserved = self.budget.lock_totals();
        reserved.bytes = reserved.bytes.saturating_sub(self.bytes).saturating_add(bytes);
        if let Some(application) = &self.application {
            let held = reserved.of_applications.get(application).copied().unwrap_or_default();
            match held.saturating_sub(self.bytes).saturating_add(bytes) {
                0 => drop(reserved.of_applications.remove(application)),
                held => drop(reserved.of_applications.insert(application.clone(), held)),
            }
        }
        drop(reserved);
        self.bytes = bytes;
    }

    fn check_limits(&self, bytes: usize) -> Result<(), MemoryRefusal> {
        let MemoryBudget { max_bytes, max_bytes_of_application, .. } = *self.budget;
        let share = if self.application.is_some() { max_bytes_of_application } else { max_bytes };
        if bytes > share.min(max_bytes) {
            return Err(MemoryRefusal::NeverFits);
        }
        let more = bytes.saturating_sub(self.bytes);
        let reserved = self.budget.lock_totals();
        let held = self.application.as_ref().and_then(|it| reserved.of_applications.get(it));
        if held.is_some_and(|held| held.saturating_add(more) > max_bytes_of_application) {
            return Err(MemoryRefusal::ApplicationLimit);
        }
        if reserved.bytes.saturating_add(more) > max_bytes {
            return Err(MemoryRefusal::ListenerLimit);
        }
        Ok(())
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.resize_unchecked(0);
        }
    }
}
