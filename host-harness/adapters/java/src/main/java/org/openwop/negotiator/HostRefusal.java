package org.openwop.negotiator;

/** A refusal that the host itself calls for. */
public enum HostRefusal {
  /** The policy failed or is not there. */
  POLICY_FAILED("policy-failed"),
  /** The surface demands a credential and there is none (R14). */
  CREDENTIAL_REQUIRED("credential-required");

  final String word;

  HostRefusal(String word) {
    this.word = word;
  }
}
