//! The journal in PostgreSQL, for hosts that share one.
//!
//! Appends take turns through an advisory lock, also those of other hosts: so ids have no gaps, become
//! visible in their order, and each record is bound to the one before it.

use std::sync::Arc;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, GenericClient, NoTls, Row};

use super::backend::{Backend, Query, Scope};
use super::chain::Chain;
use super::{JournalError, Record, Stored};
use crate::types::Home;

pub(super) struct Postgres {
    config: Config,
    client: Option<Client>,
}

impl Postgres {
    pub(super) fn open(url: &str) -> Result<Self, JournalError> {
        let mut config: Config = url.parse().map_err(connecting)?;
        config.connect_timeout(PATIENCE);
        config.tcp_user_timeout(PATIENCE);
        config.application_name("negotiator");
        let mut journal = Self {
            config,
            client: None,
        };
        journal.client()?;
        Ok(journal)
    }

    /// The connection; a new one where the old one was lost. Asking costs a round trip, which is little
    /// beside a sync, and spares the first exchange after an outage a refusal.
    fn client(&mut self) -> Result<&mut Client, JournalError> {
        if let Some(client) = &mut self.client
            && client.is_valid(PATIENCE).is_err()
        {
            self.client = None;
        }
        match &mut self.client {
            Some(client) => Ok(client),
            empty => {
                let mut client = self.config.connect(NoTls).map_err(connecting)?;
                client.batch_execute(SESSION).map_err(connecting)?;
                lay_out(&mut client)?;
                Ok(empty.insert(client))
            }
        }
    }
}

/// Makes the tables where there are none. A role that may only append finds them made.
fn lay_out(client: &mut Client) -> Result<(), JournalError> {
    let row = client
        .query_one("SELECT to_regclass('records') IS NOT NULL", &[])
        .map_err(failed)?;
    if !row.try_get::<_, bool>(0).map_err(failed)? {
        client.batch_execute(SCHEMA).map_err(failed)?;
    }
    Ok(())
}

impl Backend for Postgres {
    fn append(&mut self, records: &[Record]) -> Result<u64, JournalError> {
        let mut transaction = self.client()?.transaction().map_err(failed)?;
        transaction
            .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
            .map_err(failed)?;
        let mut chain = head(&mut transaction)?;
        // One statement for all of them: one round trip.
        let mut columns: Columns<'_> = Columns::default();
        for record in records {
            chain = chain.next(record);
            columns.add(&chain, record)?;
        }
        columns.insert(&mut transaction)?;
        transaction.commit().map_err(failed)?;
        Ok(chain.id)
    }

    fn read(&mut self, query: &Query) -> Result<Vec<Stored>, JournalError> {
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&query.after, &query.limit];
        let (condition, order) = match &query.scope {
            Scope::All => ("true", "id"),
            Scope::Host { tenant, workspace } => {
                values.push(tenant);
                values.push(workspace);
                (
                    "home = 'host' AND tenant = $3 AND workspace IS NOT DISTINCT FROM $4::text",
                    "id",
                )
            }
            Scope::Run { run_id } => {
                values.push(run_id);
                ("run_id = $3", "sequence")
            }
        };
        let text = format!(
            "SELECT {COLUMNS} FROM records WHERE id > $1 AND {condition} ORDER BY {order} LIMIT $2"
        );
        let rows = self.client()?.query(&text, &values).map_err(failed)?;
        rows.iter().map(stored).collect()
    }

    fn find(&mut self, event_id: &str) -> Result<Option<Stored>, JournalError> {
        let text = format!("SELECT {COLUMNS} FROM records WHERE event_id = $1");
        let row = self.client()?.query_opt(&text, &[&event_id]);
        row.map_err(failed)?.as_ref().map(stored).transpose()
    }

    fn head(&mut self) -> Result<Chain, JournalError> {
        head(self.client()?)
    }

    fn start(&mut self) -> Result<Chain, JournalError> {
        chain(self.client()?, START).map(|start| start.unwrap_or(Chain::EMPTY))
    }

    fn retain(&mut self, through: u64, at: &str) -> Result<u64, JournalError> {
        let mut transaction = self.client()?.transaction().map_err(failed)?;
        transaction
            .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
            .map_err(failed)?;
        let newest = head(&mut transaction)?.id;
        let through = signed(through.min(newest.saturating_sub(1)))?;
        transaction
            .execute(
                "INSERT INTO retention (through, chain, at) \
                 SELECT id, chain, $2 FROM records WHERE id = $1",
                &[&through, &at],
            )
            .map_err(failed)?;
        let removed = transaction
            .execute("DELETE FROM records WHERE id <= $1", &[&through])
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(removed)
    }
}

/// The columns of many rows.
#[derive(Default)]
struct Columns<'a> {
    id: Vec<i64>,
    event_id: Vec<&'a str>,
    home: Vec<&'a str>,
    tenant: Vec<Option<&'a str>>,
    workspace: Vec<Option<&'a str>>,
    run_id: Vec<Option<&'a str>>,
    sequence: Vec<Option<i64>>,
    event: Vec<&'a str>,
    chain: Vec<Vec<u8>>,
}

impl<'a> Columns<'a> {
    fn add(&mut self, chain: &Chain, record: &'a Record) -> Result<(), JournalError> {
        self.id.push(signed(chain.id)?);
        self.event_id.push(&record.event_id);
        self.home.push(match record.home {
            Home::Run => "run",
            Home::Host => "host",
        });
        self.tenant.push(record.tenant.as_deref());
        self.workspace.push(record.workspace.as_deref());
        self.run_id.push(record.run_id.as_deref());
        self.sequence.push(record.sequence);
        self.event.push(&record.event);
        self.chain.push(chain.digest.to_vec());
        Ok(())
    }

    fn insert(&self, client: &mut impl GenericClient) -> Result<(), JournalError> {
        let values: [&(dyn ToSql + Sync); 9] = [
            &self.id,
            &self.event_id,
            &self.home,
            &self.tenant,
            &self.workspace,
            &self.run_id,
            &self.sequence,
            &self.event,
            &self.chain,
        ];
        client.execute(INSERT, &values).map(drop).map_err(failed)
    }
}

fn head(client: &mut impl GenericClient) -> Result<Chain, JournalError> {
    match chain(client, HEAD)? {
        Some(head) => Ok(head),
        None => chain(client, START).map(|start| start.unwrap_or(Chain::EMPTY)),
    }
}

fn chain(client: &mut impl GenericClient, text: &str) -> Result<Option<Chain>, JournalError> {
    let Some(row) = client.query_opt(text, &[]).map_err(failed)? else {
        return Ok(None);
    };
    Ok(Some(Chain {
        id: unsigned(row.try_get(0).map_err(failed)?),
        digest: digest(&row, 1)?,
    }))
}

fn stored(row: &Row) -> Result<Stored, JournalError> {
    let read = || {
        let home: &str = row.try_get(2)?;
        Ok(Record {
            event_id: row.try_get(1)?,
            home: if home == "run" { Home::Run } else { Home::Host },
            tenant: row.try_get(3)?,
            workspace: row.try_get(4)?,
            run_id: row.try_get(5)?,
            sequence: row.try_get(6)?,
            event: row.try_get(7)?,
        })
    };
    Ok(Stored {
        id: unsigned(row.try_get(0).map_err(failed)?),
        record: read().map_err(failed)?,
        chain: digest(row, 8)?,
    })
}

fn digest(row: &Row, column: usize) -> Result<[u8; 32], JournalError> {
    let bytes: &[u8] = row.try_get(column).map_err(failed)?;
    bytes
        .try_into()
        .map_err(|_| JournalError::Layout("a digest has another length"))
}

fn signed(id: u64) -> Result<i64, JournalError> {
    i64::try_from(id).map_err(JournalError::storage)
}

fn unsigned(id: i64) -> u64 {
    u64::try_from(id).unwrap_or(0)
}

fn connecting(error: postgres::Error) -> JournalError {
    JournalError::Connect(Arc::new(error))
}

fn failed(error: postgres::Error) -> JournalError {
    match error.code() {
        Some(code) if *code == SqlState::UNIQUE_VIOLATION || *code == SqlState::CHECK_VIOLATION => {
            JournalError::Rejected
        }
        _ => JournalError::storage(error),
    }
}

const PATIENCE: Duration = Duration::from_secs(3);
/// Appends of every host take turns under this number.
const LOCK: i64 = 0x006f_7065_6e77_6f70;
/// Off or local would lose records that were answered; a statement that hangs must end.
const SESSION: &str = "SET synchronous_commit = on; SET statement_timeout = '5s'; \
    SET default_transaction_isolation = 'read committed'; SET client_min_messages = 'warning'";
const COLUMNS: &str = "id, event_id, home, tenant, workspace, run_id, sequence, event, chain";
const INSERT: &str = "INSERT INTO records \
    (id, event_id, home, tenant, workspace, run_id, sequence, event, chain) \
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], \
    $6::text[], $7::bigint[], $8::text[], $9::bytea[])";
const HEAD: &str = "SELECT id, chain FROM records ORDER BY id DESC LIMIT 1";
const START: &str = "SELECT through, chain FROM retention ORDER BY through DESC LIMIT 1";

/// The owner of the tables is the one who may retain; everybody else gets `SELECT` and `INSERT` and
/// no more. The triggers hold even for the owner.
const SCHEMA: &str = "
BEGIN;
SELECT pg_advisory_xact_lock(31367303362211696);
CREATE TABLE IF NOT EXISTS records (
    id bigint PRIMARY KEY,
    event_id text NOT NULL UNIQUE,
    home text NOT NULL CHECK (home IN ('run', 'host')),
    tenant text,
    workspace text,
    run_id text,
    sequence bigint,
    event text NOT NULL,
    chain bytea NOT NULL,
    UNIQUE (run_id, sequence)
);
CREATE INDEX IF NOT EXISTS records_of_tenant
    ON records (tenant, workspace, id) WHERE home = 'host';
CREATE TABLE IF NOT EXISTS retention (
    through bigint PRIMARY KEY,
    chain bytea NOT NULL,
    at text NOT NULL
);
CREATE OR REPLACE FUNCTION negotiator_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'records' THEN
        IF OLD.id <= (SELECT coalesce(max(through), 0) FROM retention) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'check_violation';
END $$;
CREATE OR REPLACE TRIGGER records_stay BEFORE UPDATE OR DELETE ON records
    FOR EACH ROW EXECUTE FUNCTION negotiator_append_only();
CREATE OR REPLACE TRIGGER records_are_not_truncated BEFORE TRUNCATE ON records
    FOR EACH STATEMENT EXECUTE FUNCTION negotiator_append_only();
CREATE OR REPLACE TRIGGER marks_stay BEFORE UPDATE OR DELETE ON retention
    FOR EACH ROW EXECUTE FUNCTION negotiator_append_only();
CREATE OR REPLACE TRIGGER marks_are_not_truncated BEFORE TRUNCATE ON retention
    FOR EACH STATEMENT EXECUTE FUNCTION negotiator_append_only();
COMMIT;
";
