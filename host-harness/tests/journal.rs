//! The journal: one suite for both databases.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "a test"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use negotiator::journal::{Filter, Journal, JournalError, Location, Query, Record, Scope, Summary};
use negotiator::types::{Entry, Home, Subject};

#[path = "support/postgres.rs"]
mod postgres_server;

fn decided(number: usize, tenant: Option<(&str, Option<&str>)>, payload: &str) -> Record {
    let entry = Entry {
        home: Home::Host,
        audience: tenant.map(|(tenant, workspace)| Subject {
            tenant: tenant.to_owned(),
            workspace: workspace.map(str::to_owned),
        }),
        payload: payload.to_owned(),
        event: Some(format!(
            r#"{{"eventId":"hev-{number:024}","type":"negotiation.decided","timestamp":"2026-11-30T12:00:00Z","delivery":"durable","payload":{payload}}}"#
        )),
        requested: None,
        peer_digest: None,
    };
    Record::of(&entry).unwrap()
}

fn run_event(run: &str, sequence: u64, number: usize) -> Record {
    Record::of_run(format!(
        r#"{{"eventId":"rev-{number:024}","runId":"{run}","type":"run.completed","payload":{{"outputs":{{}}}},"timestamp":"2026-11-30T12:00:00Z","sequence":{sequence},"schemaVersion":3}}"#
    ))
    .unwrap()
}

const ACCEPTED: &str = r#"{"protocol":"a2a","outcome":"accepted","requested":"1.10","version":"1.9","floor":"0.3","reason":"ok","at":"2026-11-30T12:00:00Z"}"#;
const REFUSED: &str = r#"{"protocol":"mcp","outcome":"refused","requested":"2025-06-18","floor":"2026-07-28","reason":"below-floor","at":"2026-11-30T12:00:01Z"}"#;

/// What holds for every journal; this one is new.
fn suite(location: &Location) {
    let journal = Journal::open(location).unwrap();
    assert_eq!(journal.last().wait().unwrap(), 0);
    assert_eq!(journal.verify().unwrap().records, 0);

    // In order, and all of a call or none of it.
    let acme = Some(("acme", None));
    let appended = journal
        .append(vec![decided(1, acme, ACCEPTED), decided(2, acme, REFUSED)])
        .wait();
    assert_eq!(appended.unwrap(), 2);
    let twice = journal
        .append(vec![decided(3, acme, ACCEPTED), decided(2, acme, ACCEPTED)])
        .wait();
    assert!(matches!(twice, Err(JournalError::Rejected)), "{twice:?}");
    assert_eq!(journal.last().wait().unwrap(), 2);

    // Tenants, workspaces, and what belongs to nobody.
    let records = vec![
        decided(4, Some(("acme", Some("ws-1"))), ACCEPTED),
        decided(5, Some(("other", None)), ACCEPTED),
        decided(6, None, REFUSED),
        run_event("acme/run-0123456789abcdef", 0, 7),
        run_event("acme/run-0123456789abcdef", 1, 8),
    ];
    journal.append(records).wait().unwrap();
    let ids = |scope| -> Vec<u64> {
        let found = journal.read(Query::of(scope)).wait().unwrap();
        found.iter().map(|stored| stored.id).collect()
    };
    let host = |tenant: &str, workspace: Option<&str>| Scope::Host {
        tenant: tenant.into(),
        workspace: workspace.map(Into::into),
    };
    assert_eq!(ids(host("acme", None)), [1, 2]);
    assert_eq!(ids(host("acme", Some("ws-1"))), [3]);
    assert_eq!(ids(host("other", None)), [4]);
    assert_eq!(ids(host("", None)), [0_u64; 0]);
    assert_eq!(ids(Scope::All), [1, 2, 3, 4, 5, 6, 7]);
    let run = |run_id: &str| Scope::Run {
        run_id: run_id.into(),
    };
    assert_eq!(ids(run("acme/run-0123456789abcdef")), [6, 7]);
    assert_eq!(ids(run("acme/run-0123456789abcdee")), [0_u64; 0]);
    let taken = journal
        .append(vec![run_event("acme/run-0123456789abcdef", 1, 9)])
        .wait();
    assert!(matches!(taken, Err(JournalError::Rejected)), "{taken:?}");

    let page = journal.read(Query::all().after(2).limit(2)).wait().unwrap();
    assert_eq!(
        page.iter().map(|stored| stored.id).collect::<Vec<_>>(),
        [3, 4]
    );
    let found = journal
        .find("hev-000000000000000000000006".into())
        .wait()
        .unwrap();
    let found = found.unwrap();
    assert_eq!((found.id, found.record.tenant()), (5, None));
    assert!(found.record.event().contains(REFUSED), "exact text");
    assert!(journal.find("hev-x".into()).wait().unwrap().is_none());

    // A summary; 1.9 is below 1.10.
    let mut summary = Summary::default();
    journal
        .each(0, |stored| {
            summary.add(&stored.record);
            Ok(())
        })
        .unwrap();
    let summary = summary.finish();
    assert_eq!((summary.decided, summary.others), (5, 2));
    let counts: Vec<_> = summary
        .counts
        .iter()
        .map(|count| (count.outcome, count.count))
        .collect();
    assert_eq!(counts, [("downgraded", 3), ("refused", 2)]);
    let filter = Filter {
        reason: Some("below-floor".into()),
        ..Filter::default()
    };
    let mut admitted = 0;
    journal
        .each(0, |stored| {
            admitted += usize::from(filter.admits(&stored.record, |_| None));
            Ok(())
        })
        .unwrap();
    assert_eq!(admitted, 2);

    crowd(&journal);

    // Closed and opened again, all is there.
    let before = journal.verify().unwrap();
    assert_eq!(
        (before.records, before.first, before.last),
        (807, Some(1), Some(807))
    );
    drop(journal);
    let journal = Journal::open(location).unwrap();
    assert_eq!(journal.verify().unwrap(), before);

    // Retention, in the middle and past the end; the newest stays, and so does the head.
    assert_eq!(journal.retain(100, "2026-12-01T00:00:00Z").unwrap(), 100);
    let after = journal.verify().unwrap();
    assert_eq!(
        (after.records, after.first, &after.head),
        (707, Some(101), &before.head)
    );
    assert_eq!(
        journal.retain(u64::MAX, "2026-12-02T00:00:00Z").unwrap(),
        706
    );
    assert_eq!(journal.retain(u64::MAX, "2026-12-02T00:00:00Z").unwrap(), 0);
    let after = journal.verify().unwrap();
    assert_eq!(
        (after.records, after.first, &after.head),
        (1, Some(807), &before.head)
    );
    assert_eq!(
        journal
            .append(vec![decided(9000, None, REFUSED)])
            .wait()
            .unwrap(),
        808
    );
    assert_eq!(journal.verify().unwrap().records, 2);
}

/// Many at once, one of them in the way of itself: everybody else's records are there.
fn crowd(journal: &Journal) {
    let journal = Arc::new(journal.clone());
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let journal = Arc::clone(&journal);
            thread::spawn(move || {
                for number in 0..100 {
                    let number = 1000 + thread * 100 + number;
                    let bad = journal.append(vec![decided(1, None, REFUSED)]);
                    let good = journal.append(vec![decided(number, None, REFUSED)]);
                    assert!(good.wait().is_ok());
                    assert!(matches!(bad.wait(), Err(JournalError::Rejected)));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("negotiator-journal-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn location(path: &std::path::Path) -> Location {
    path.to_str().unwrap().parse().unwrap()
}

#[test]
fn the_suite_holds_for_sqlite() {
    suite(&location(&file("suite.db")));
}

#[test]
fn the_suite_holds_for_postgres_and_a_writer_can_only_append() {
    let Some(mut server) = postgres_server::Server::start("journal") else {
        return;
    };
    let owner: Location = server.url("owner").parse().unwrap();
    suite(&owner);

    let mut client = postgres::Client::connect(&server.url("owner"), postgres::NoTls).unwrap();
    for statement in [
        "UPDATE records SET tenant = 'x'",
        "DELETE FROM records",
        "TRUNCATE records",
        "UPDATE retention SET through = 0",
        "DELETE FROM retention",
    ] {
        let refused = client.batch_execute(statement).unwrap_err();
        let told = refused.as_db_error().unwrap().message();
        assert_eq!(told, "the journal is append-only", "{statement}");
    }
    client
        .batch_execute(
            "CREATE ROLE writer LOGIN; GRANT SELECT, INSERT ON records TO writer; \
             GRANT SELECT ON retention TO writer",
        )
        .unwrap();
    let journal = Journal::open(&server.url("writer").parse().unwrap()).unwrap();
    assert_eq!(
        journal
            .append(vec![decided(9001, None, REFUSED)])
            .wait()
            .unwrap(),
        809
    );
    assert!(journal.retain(808, "2026-12-02T00:00:00Z").is_err());
    assert_eq!(journal.verify().unwrap().records, 3);

    // Gone, and back: what was refused meanwhile is not there, and everything else is.
    server.stop();
    assert!(
        journal
            .append(vec![decided(9002, None, REFUSED)])
            .wait()
            .is_err()
    );
    server.resume();
    assert_eq!(
        journal
            .append(vec![decided(9003, None, REFUSED)])
            .wait()
            .unwrap(),
        810
    );
    assert_eq!(journal.verify().unwrap().records, 4);
    drop(client);
}

#[test]
fn sqlite_refuses_to_change_what_is_written() {
    let path = file("append-only.db");
    let journal = Journal::open(&location(&path)).unwrap();
    journal
        .append(vec![decided(1, None, REFUSED), decided(2, None, REFUSED)])
        .wait()
        .unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    for statement in [
        "UPDATE records SET tenant = 'x'",
        "DELETE FROM records",
        "INSERT OR REPLACE INTO records SELECT * FROM records WHERE id = 1",
        "INSERT OR REPLACE INTO records SELECT 9, event_id, home, 'x', workspace, run_id, sequence, event, chain FROM records WHERE id = 1",
    ] {
        let refused = other.execute_batch(statement).unwrap_err().to_string();
        assert!(refused.contains("append-only"), "{statement}: {refused}");
    }
    assert_eq!(journal.verify().unwrap().records, 2);
}

#[test]
fn what_was_altered_is_found() {
    for (name, statement) in [
        (
            "altered",
            "UPDATE records SET event = replace(event, 'refused', 'accepted') WHERE id = 2",
        ),
        ("tenant", "UPDATE records SET tenant = 'mine' WHERE id = 2"),
        ("removed", "DELETE FROM records WHERE id = 2"),
    ] {
        let path = file(&format!("tampered-{name}.db"));
        let journal = Journal::open(&location(&path)).unwrap();
        for number in 1..=3 {
            journal
                .append(vec![decided(number, None, REFUSED)])
                .wait()
                .unwrap();
        }
        let other = rusqlite::Connection::open(&path).unwrap();
        other
            .execute_batch("DROP TRIGGER records_stay; DROP TRIGGER records_stay_as_they_are")
            .unwrap();
        other.execute_batch(statement).unwrap();
        let broken = match journal.verify() {
            Err(JournalError::Broken { id, .. }) => id,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(broken, if name == "removed" { 3 } else { 2 }, "{name}");
        assert!(journal.retain(1, "2026-12-01T00:00:00Z").is_err());
    }
}

#[test]
fn a_locked_journal_refuses_and_goes_on_afterwards() {
    let path = file("locked.db");
    let journal = Journal::open(&location(&path)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let locked = journal.append(vec![decided(1, None, REFUSED)]).wait();
    assert!(
        matches!(locked, Err(JournalError::Storage(_))),
        "{locked:?}"
    );
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(
        journal
            .append(vec![decided(2, None, REFUSED)])
            .wait()
            .unwrap(),
        1
    );
}

#[test]
fn a_full_disk_refuses_and_loses_nothing() {
    // /dev/full cannot hold a database: the limit on pages is what a full disk looks like to SQLite.
    let path = file("full.db");
    let journal = Journal::open(&location(&path)).unwrap();
    let mut number = 0;
    journal
        .append(vec![decided(number, None, REFUSED)])
        .wait()
        .unwrap();
    let folder = file("full");
    fs::create_dir_all(&folder).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=300k", "none"])
        .arg(&folder)
        .stderr(std::process::Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no small file system can be mounted here");
        return;
    }
    let journal = Journal::open(&location(&folder.join("full.db"))).unwrap();
    let mut kept = 0;
    let full = loop {
        match journal.append(vec![decided(number, None, REFUSED)]).wait() {
            Ok(id) => kept = id,
            Err(error) => break error,
        }
        number += 1;
        assert!(number < 10_000, "never full");
    };
    assert!(matches!(full, JournalError::Storage(_)), "{full:?}");
    let whole = journal.verify();
    drop(journal);
    thread::sleep(std::time::Duration::from_millis(200));
    let _ = std::process::Command::new("umount")
        .arg("-l")
        .arg(&folder)
        .status();
    assert_eq!(whole.unwrap().records, kept);
    assert!(kept > 10);
}

#[test]
fn locations_are_paths_or_urls() {
    for wrong in ["", "mysql://x/y", "http://x"] {
        assert!(wrong.parse::<Location>().is_err(), "{wrong}");
    }
    let location: Location = "postgres://user:secret@127.0.0.1/x".parse().unwrap();
    assert_eq!(format!("{location:?}"), "Postgres");
    let file = file("not-ours.db");
    fs::write(
        &file,
        "something else, long enough to be no database at all",
    )
    .unwrap();
    assert!(Journal::open(&self::location(&file)).is_err());
}
