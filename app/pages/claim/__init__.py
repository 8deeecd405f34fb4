"""The claim page: from what the ledger holds of one claim (`record`) to what its template says (`page`)."""
