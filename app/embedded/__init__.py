"""The one-command stack: real Postgres, Valkey, API and workers, as processes of one supervisor."""
