"""The policy `exact` in Python: use what was asked for, or nothing. It takes no settings."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.policy import Proposal, Verdict_Deny, Verdict_Grant


class Policy(exports.Policy):
    def configure(self, settings: str) -> None:
        if settings:
            raise Err("settings must be empty: the policy `exact` takes none")

    def judge(self, proposal: Proposal):
        # Granting a version that is no candidate would break the contract of a policy.
        if proposal.asked in proposal.candidates:
            return Verdict_Grant(proposal.asked)
        return Verdict_Deny()
