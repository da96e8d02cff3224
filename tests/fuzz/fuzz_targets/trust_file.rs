//! Trust files, and gate reports: any text gives trust that refuses what it does not name, or an
//! error that names a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use negotiator::Artifact;
use negotiator::error::{TrustError, TrustFileError};
use negotiator::trust::{GateReport, Statement, Trust};

fuzz_target!(|text: &str| {
    let artifact = Artifact::from_bytes(*b"\0asm\x0d\0\x01\0");
    match Trust::from_text(text) {
        Ok(trust) => match trust.verify(&artifact, None) {
            Ok(_) => assert!(text.contains(&artifact.digest().to_string()) || text.contains('\\')),
            Err(error) => assert!(matches!(
                error,
                TrustError::NothingTrusted | TrustError::NotPinned { .. }
            )),
        },
        Err(TrustFileError::Syntax { line, .. } | TrustFileError::Member { line, .. }) => {
            assert!((1..=text.split('\n').count()).contains(&line));
        }
        Err(TrustFileError::File(_)) => unreachable!("no file is read"),
    }
    if let Ok(report) = GateReport::from_json(text) {
        let statement = Statement::about(&artifact).with_gate(report);
        assert_eq!(statement.is_ok(), report.artifact == artifact.digest());
    }
});
