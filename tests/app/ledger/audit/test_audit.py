def test_a_ledger_that_is_what_its_log_says_passes(lived):
    found = lived.audit()
    assert found.findings == ()
    assert found.count == 0
