import os
import subprocess
import sys

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlmodel import Session

from app.ledger import tree
from app.ledger.database import engine_for
from app.ledger.migrate import APP_ROLE, MigrationRefusedError, _config, is_current, upgrade
from app.ledger.tables import Base
from claims import merkle
from claims.entries import leaf_hash


@pytest.fixture
def empty(postgres):
    with postgres.database("migrating") as urls:
        yield urls


def test_the_tables_are_what_the_migrations_make_of_an_empty_database(urls):
    engine = engine_for(urls.database_owner_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_migrating_again_changes_nothing(empty):
    assert not is_current(empty.database_url)
    upgrade(empty.database_owner_url)
    assert is_current(empty.database_url)
    upgrade(empty.database_owner_url)
    assert is_current(empty.database_url)


def test_migrations_are_found_from_any_directory(empty, tmp_path):
    command = "import sys; from app.ledger.migrate import upgrade; upgrade(sys.argv[1])"
    subprocess.run([sys.executable, "-c", command, empty.database_owner_url], check=True, cwd=tmp_path, env=os.environ)
    assert is_current(empty.database_owner_url)


def test_a_log_from_before_the_tree_gets_its_nodes(empty):
    engine = engine_for(empty.database_owner_url)
    with engine.begin() as connection:
        config = _config()
        config.attributes.update(connection=connection, app_role=APP_ROLE)
        command.upgrade(config, "0002")
        for seq in range(21):
            row = {"seq": seq, "canonical": b"%d" % seq, "leaf": leaf_hash(b"%d" % seq)}
            connection.execute(
                text(
                    "INSERT INTO entries (seq, type, actor, time, payload, canonical, leaf_hash)"
                    " VALUES (:seq, 'noted', 'ada', now(), '{}', :canonical, :leaf)"
                ),
                row,
            )
    upgrade(empty.database_owner_url)
    with Session(engine) as session:
        root = merkle.root_of(leaf_hash(b"%d" % seq) for seq in range(21))
        assert merkle.root(21, tree.reader(session)) == root
        assert session.execute(text("SELECT count(*) FROM nodes")).scalar_one() == 10 + 5 + 2 + 1
    engine.dispose()


def test_a_role_that_is_absent_is_named(empty):
    with pytest.raises(MigrationRefusedError, match="'nobody_here' does not exist: create it"):
        upgrade(empty.database_owner_url, app_role="nobody_here")
    assert not is_current(empty.database_owner_url)


@pytest.mark.parametrize("role", ["antedate_owner", "postgres"])
def test_a_role_that_could_change_the_log_is_refused(empty, role):
    with pytest.raises(MigrationRefusedError, match="it could change the log"):
        upgrade(empty.database_owner_url, app_role=role)


def test_the_application_role_cannot_migrate(empty):
    with pytest.raises((MigrationRefusedError, ProgrammingError)):
        upgrade(empty.database_url, app_role="antedate_app")


def test_rights_given_by_default_are_taken_back(empty):
    owner = engine_for(empty.database_owner_url)
    with owner.begin() as connection:
        connection.execute(text("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO antedate_app"))
    upgrade(empty.database_owner_url)
    with owner.connect() as connection:
        held = connection.execute(
            text(
                "SELECT privilege_type FROM information_schema.role_table_grants WHERE grantee = 'antedate_app'"
                " AND table_name = 'entries'"
            )
        ).scalars()
        assert set(held) == {"SELECT", "INSERT"}
    owner.dispose()
