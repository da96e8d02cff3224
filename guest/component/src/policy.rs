//! The policy: compiled in, or imported.

#[cfg(feature = "default-policy")]
pub(crate) use compiled_in::Chosen;
#[cfg(not(feature = "default-policy"))]
pub(crate) use imported::Chosen;

#[cfg(feature = "default-policy")]
mod compiled_in {
    use negotiation_core::{Fault, Highest, Policy, Proposal, Verdict};

    /// The default policy: the best legal candidate.
    pub(crate) struct Chosen(Highest);

    impl Chosen {
        pub(crate) const fn new() -> Self {
            Self(Highest)
        }

        pub(crate) fn configure(&mut self, settings: &str) -> Result<(), Fault> {
            if settings.is_empty() {
                return Ok(());
            }
            Err(Fault::new(
                "settings",
                "must be empty: the default policy takes no settings",
            ))
        }
    }

    impl Policy for Chosen {
        fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict {
            self.0.judge(proposal)
        }
    }
}

#[cfg(not(feature = "default-policy"))]
mod imported {
    use alloc::string::{String, ToString};

    use negotiation_core::{Direction, Fault, Policy, Proposal, Protocol, Verdict, Version};

    use crate::bindings::openwop::negotiation::policy as import;

    /// The longest sentence of a policy that is passed on, in bytes.
    const MAX_SENTENCE: usize = 1024;

    /// The imported policy.
    pub(crate) struct Chosen {
        configured: bool,
    }

    impl Chosen {
        pub(crate) const fn new() -> Self {
            Self { configured: false }
        }

        pub(crate) fn configure(&mut self, settings: &str) -> Result<(), Fault> {
            let sentence = |text: String| Fault::new("settings", &tame(&text));
            import::configure(settings).map_err(sentence)?;
            self.configured = true;
            Ok(())
        }
    }

    impl Policy for Chosen {
        fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict {
            // A policy is configured before it judges, also where no settings were given.
            if !self.configured && self.configure("").is_err() {
                return Verdict::Failed;
            }
            let exchange = proposal.exchange;
            let text = |version: Version| version.to_string();
            let verdict = import::judge(&import::Proposal {
                protocol: match exchange.protocol {
                    Protocol::A2a => import::Protocol::A2a,
                    Protocol::Mcp => import::Protocol::Mcp,
                },
                direction: match exchange.direction {
                    Direction::Inbound => import::Direction::Inbound,
                    Direction::Outbound => import::Direction::Outbound,
                },
                authenticated: exchange.authenticated,
                asked: text(proposal.asked),
                candidates: proposal.candidates.iter().copied().map(text).collect(),
                preferred: text(proposal.facet.preferred()),
                floor: text(proposal.facet.floor()),
                tenant: proposal.subject.map(|subject| subject.tenant.clone()),
                workspace: proposal
                    .subject
                    .and_then(|subject| subject.workspace.clone()),
                peer_digest: proposal.peer_digest.map(ToString::to_string),
                at: proposal.at.map(ToString::to_string),
            });
            match verdict {
                import::Verdict::Grant(version) => {
                    Verdict::Grant(Version::parse(exchange.protocol, &version))
                }
                import::Verdict::Deny => Verdict::Deny,
            }
        }
    }

    /// A policy's sentence goes to the operator: bounded, and on one line.
    fn tame(text: &str) -> String {
        let mut tamed = String::new();
        for character in text.chars() {
            if tamed.len().saturating_add(character.len_utf8()) > MAX_SENTENCE {
                break;
            }
            tamed.push(if character.is_control() {
                '\u{fffd}'
            } else {
                character
            });
        }
        if tamed.is_empty() {
            "was refused by the policy".to_string()
        } else {
            tamed
        }
    }
}
