#!/bin/bash
# Run once by the postgres image, on an empty data directory: the owner migrates, the application may not alter history.
set -euo pipefail
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" \
    --set owner_password="$ANTEDATE_OWNER_PASSWORD" --set app_password="$ANTEDATE_APP_PASSWORD" <<'SQL'
CREATE ROLE antedate_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE antedate_app LOGIN PASSWORD :'app_password';
CREATE DATABASE antedate OWNER antedate_owner;
SQL
