//! The journal in a file of its own, with SQLite.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, TransactionBehavior, params};

use super::backend::{Backend, Query, Scope};
use super::chain::Chain;
use super::location::Sync;
use super::{JournalError, Record, Stored};
use crate::types::Home;

pub(super) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub(super) fn open(path: &Path, sync: Sync) -> Result<Self, JournalError> {
        create(path).map_err(|source| opening(path, source))?;
        let connection = Connection::open(path).map_err(|source| opening(path, source))?;
        prepare(&connection, sync).map_err(|source| opening(path, source))?;
        let version: i64 = connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|source| opening(path, source))?;
        match version {
            LAYOUT => {}
            0 => {
                let empty: i64 = connection
                    .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                    .map_err(|source| opening(path, source))?;
                if empty != 0 {
                    return Err(JournalError::Layout("the file is another program's"));
                }
                connection
                    .execute_batch(SCHEMA)
                    .map_err(|source| opening(path, source))?;
            }
            _ => return Err(JournalError::Layout("the file is of a later version")),
        }
        Ok(Self { connection })
    }
}

/// Makes the file so that its owner alone can read it; SQLite gives its companions the same rights.
fn create(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn prepare(connection: &Connection, sync: Sync) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let level = match sync {
        Sync::Full => "FULL",
        Sync::Off => "OFF",
    };
    connection.pragma_update(None, "synchronous", level)?;
    // Where the disk has a cache of its own (macOS): write that out, too.
    connection.pragma_update(None, "fullfsync", sync == Sync::Full)?;
    connection.pragma_update(None, "recursive_triggers", true)?;
    connection.pragma_update(None, "trusted_schema", false)
}

fn opening(
    path: &Path,
    source: impl std::error::Error + Send + std::marker::Sync + 'static,
) -> JournalError {
    JournalError::Open {
        path: path.to_owned(),
        source: Arc::new(source),
    }
}

impl Backend for Sqlite {
    fn append(&mut self, records: &[Record]) -> Result<u64, JournalError> {
        // Immediate: the lock comes first, so nobody else appends behind the head that is read.
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let mut chain = head(&transaction)?;
        {
            let mut insert = transaction.prepare_cached(INSERT).map_err(failed)?;
            for record in records {
                chain = chain.next(record);
                insert
                    .execute(params![
                        signed(chain.id)?,
                        record.event_id,
                        home(record.home),
                        record.tenant,
                        record.workspace,
                        record.run_id,
                        record.sequence,
                        record.event,
                        chain.digest,
                    ])
                    .map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)?;
        Ok(chain.id)
    }

    fn read(&mut self, query: &Query) -> Result<Vec<Stored>, JournalError> {
        let (condition, mut values): (_, Vec<Value>) = match &query.scope {
            Scope::All => ("true", vec![]),
            Scope::Host { tenant, workspace } => (
                "home = 'host' AND tenant = ?3 AND workspace IS ?4",
                vec![tenant.clone().into(), workspace.clone().into()],
            ),
            Scope::Run { run_id } => ("run_id = ?3", vec![run_id.clone().into()]),
        };
        values.splice(0..0, [query.after.into(), query.limit.into()]);
        let order = match query.scope {
            Scope::Run { .. } => "sequence",
            _ => "id",
        };
        let text = format!(
            "SELECT {COLUMNS} FROM records WHERE id > ?1 AND {condition} ORDER BY {order} LIMIT ?2"
        );
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        let rows = statement
            .query_map(rusqlite::params_from_iter(values), stored)
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }

    fn find(&mut self, event_id: &str) -> Result<Option<Stored>, JournalError> {
        let text = format!("SELECT {COLUMNS} FROM records WHERE event_id = ?1");
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        statement
            .query_row([event_id], stored)
            .optional()
            .map_err(failed)
    }

    fn head(&mut self) -> Result<Chain, JournalError> {
        head(&self.connection)
    }

    fn start(&mut self) -> Result<Chain, JournalError> {
        chain(&self.connection, START).map(|start| start.unwrap_or(Chain::EMPTY))
    }

    fn retain(&mut self, through: u64, at: &str) -> Result<u64, JournalError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let newest = head(&transaction)?.id;
        let through = signed(through.min(newest.saturating_sub(1)))?;
        transaction
            .execute(
                "INSERT INTO retention (through, chain, at) SELECT id, chain, ?2 FROM records WHERE id = ?1",
                params![through, at],
            )
            .map_err(failed)?;
        let removed = transaction
            .execute("DELETE FROM records WHERE id <= ?1", [through])
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(removed as u64)
    }
}

fn head(connection: &Connection) -> Result<Chain, JournalError> {
    match chain(connection, HEAD)? {
        Some(head) => Ok(head),
        None => chain(connection, START).map(|start| start.unwrap_or(Chain::EMPTY)),
    }
}

fn chain(connection: &Connection, text: &str) -> Result<Option<Chain>, JournalError> {
    let mut statement = connection.prepare_cached(text).map_err(failed)?;
    let row = statement.query_row([], |row| {
        Ok(Chain {
            id: unsigned(row.get(0)?),
            digest: row.get(1)?,
        })
    });
    row.optional().map_err(failed)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let home: String = row.get(2)?;
    Ok(Stored {
        id: unsigned(row.get(0)?),
        record: Record {
            event_id: row.get(1)?,
            home: if home == "run" { Home::Run } else { Home::Host },
            tenant: row.get(3)?,
            workspace: row.get(4)?,
            run_id: row.get(5)?,
            sequence: row.get(6)?,
            event: row.get(7)?,
        },
        chain: row.get(8)?,
    })
}

fn home(home: Home) -> &'static str {
    match home {
        Home::Run => "run",
        Home::Host => "host",
    }
}

fn signed(id: u64) -> Result<i64, JournalError> {
    i64::try_from(id).map_err(JournalError::storage)
}

fn unsigned(id: i64) -> u64 {
    u64::try_from(id).unwrap_or(0)
}

fn failed(error: rusqlite::Error) -> JournalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => JournalError::Rejected,
        _ => JournalError::storage(error),
    }
}

const PATIENCE: Duration = Duration::from_secs(2);
const LAYOUT: i64 = 1;
const COLUMNS: &str = "id, event_id, home, tenant, workspace, run_id, sequence, event, chain";
const INSERT: &str = "INSERT INTO records \
    (id, event_id, home, tenant, workspace, run_id, sequence, event, chain) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const HEAD: &str = "SELECT id, chain FROM records ORDER BY id DESC LIMIT 1";
const START: &str = "SELECT through, chain FROM retention ORDER BY through DESC LIMIT 1";

/// The trigger on inserts is for `INSERT OR REPLACE`, which removes rows and, by default, tells no
/// trigger of it.
const SCHEMA: &str = "
BEGIN IMMEDIATE;
CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    home TEXT NOT NULL CHECK (home IN ('run', 'host')),
    tenant TEXT,
    workspace TEXT,
    run_id TEXT,
    sequence INTEGER,
    event TEXT NOT NULL,
    chain BLOB NOT NULL,
    UNIQUE (run_id, sequence)
) STRICT;
CREATE INDEX records_of_tenant ON records (tenant, workspace, id) WHERE home = 'host';
CREATE TABLE retention (
    through INTEGER PRIMARY KEY,
    chain BLOB NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE TRIGGER records_in_order BEFORE INSERT ON records
    WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM records)
        OR EXISTS (SELECT 1 FROM records WHERE event_id = NEW.event_id)
        OR EXISTS (SELECT 1 FROM records WHERE run_id = NEW.run_id AND sequence = NEW.sequence)
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER records_stay BEFORE DELETE ON records
    WHEN OLD.id > (SELECT coalesce(max(through), 0) FROM retention)
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER marks_in_order BEFORE INSERT ON retention
    WHEN NEW.through <= (SELECT coalesce(max(through), 0) FROM retention)
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER marks_stay_as_they_are BEFORE UPDATE ON retention
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER marks_stay BEFORE DELETE ON retention
    BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
PRAGMA user_version = 1;
COMMIT;
";
